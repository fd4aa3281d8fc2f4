//! What the user typed: the commands, and the options that several of them share.

use crate::command;
use crate::sparse::SparseArgs;
use crate::tables::TableArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use fnb::columns::ClassWeights;
use fnb::math::nearest_name;
use fnb::prepare::PrepareSettings;
use fnb::relational::{ConstructSettings, Family, Tokeniser};
use fnb::weights::{Interactions, LearnSettings, Price};
use fnb::{Code, Error, Method, Preset, Settings, Start};
use fnb_table::{Expected, ReadOptions, SchemaFile, SchemaOfTables};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Small, readable, exactly reproducible classifiers from raw tables.
#[derive(Debug, Parser)]
#[command(name = "fnb", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Start with `fnb demo`, then `fnb train DATA -t TARGET -o model.json`.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn a model from a table
    Train(command::train::Arguments),
    /// Score the rows of a table
    Predict(command::predict::Arguments),
    /// Measure the predictions of a model on a table that has the target
    Evaluate(command::evaluate::Arguments),
    /// Compare methods on the same folds: quality, number of variables, time
    Compare(command::compare::Arguments),
    /// Show the variables that several tables, or dates, give; write their values
    Construct(command::construct::Arguments),
    /// Show what each column tells about the target, on its own
    Describe(command::describe::Arguments),
    /// Show a model: variables, weights, parts
    Inspect(command::inspect::Arguments),
    /// Write a page that shows models: one HTML file, to look at and to pass on
    Report(command::report::Arguments),
    /// Say why a row gets its prediction
    Explain(command::explain::Arguments),
    /// Write the types of the columns as detected, to edit and give back with --schema
    Schema(command::schema::Arguments),
    /// Train, score and explain on a built-in data set
    Demo(command::demo::Arguments),
    /// Write the completion script of a shell
    Completions(command::completions::Arguments),
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct GlobalArgs {
    /// Number of threads, or `auto` for all; the result is the same for any
    #[arg(
        long,
        global = true,
        value_name = "N",
        default_value = "auto",
        allow_negative_numbers = true,
        value_parser = threads
    )]
    pub(crate) threads: usize,
    /// How to show progress
    #[arg(long, global = true, value_enum, default_value_t = ProgressKind::Auto)]
    pub(crate) progress: ProgressKind,
    /// Say nothing but results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressKind {
    /// A bar on a terminal, nothing elsewhere
    Auto,
    /// Lines of text
    Plain,
    /// Lines of JSON
    Json,
    /// Nothing
    None,
}

/// A number of folds.
pub(crate) fn fold_count(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(folds) if folds >= 2 => Ok(folds),
        _ => Err("a whole number from 2 up".into()),
    }
}

/// 0 stands for all threads.
fn threads(text: &str) -> Result<usize, String> {
    match (text, text.parse()) {
        ("auto", _) => Ok(0),
        (_, Ok(n)) if (1..=1024).contains(&n) => Ok(n),
        _ => Err("a number from 1 to 1024, or auto".into()),
    }
}

/// The data to learn from: one table, or several.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// Files, patterns or a directory; `-` is standard input
    // Not under the heading of the options before it.
    #[arg(required_unless_present = "schema", value_name = "DATA", help_heading = None::<&str>)]
    pub(crate) data: Vec<String>,
    #[command(flatten)]
    pub(crate) tables: TableArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// A model, and the data that it scores.
#[derive(Debug, Args)]
pub(crate) struct ScoreArgs {
    /// The model file
    pub(crate) model: PathBuf,
    /// Files, patterns or a directory; `-` is standard input
    #[arg(required_unless_present = "schema", value_name = "DATA")]
    pub(crate) data: Vec<String>,
    #[command(flatten)]
    pub(crate) tables: TableArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

impl DataArgs {
    /// Every file that is read, as it is named.
    pub(crate) fn inputs(&self) -> fnb::Result<Vec<String>> {
        let mut inputs = self.read.inputs(&self.data)?;
        inputs.extend(self.tables.files().cloned());
        Ok(inputs)
    }
}

impl ScoreArgs {
    /// Every file that is read, as it is named.
    pub(crate) fn inputs(&self) -> fnb::Result<Vec<String>> {
        let mut inputs = self.read.inputs(&self.data)?;
        inputs.push(self.model.to_string_lossy().into_owned());
        inputs.extend(self.tables.files().cloned());
        Ok(inputs)
    }
}

/// How to read the data.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadArgs {
    /// Separator of text files: a character, `tab` or `space` [default: detected]
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub(crate) sep: Option<u8>,
    /// The first line of text files is data; columns are then named Var1, Var2, ...
    #[arg(long)]
    pub(crate) no_header: bool,
    /// Texts that mean missing, besides the empty field
    #[arg(long, value_name = "TEXT,...", value_delimiter = ',')]
    pub(crate) na: Vec<String>,
    #[arg(
        long = "type",
        value_name = "COLUMN=TYPE",
        value_parser = typed_column,
        help = format!(
            "Type of a column: {}; the name may hold * and ? (repeatable)",
            fnb_table::type_words()
        )
    )]
    pub(crate) types: Vec<Expected>,
    /// Columns to leave out; names may hold * and ?
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) drop: Vec<String>,
    /// Types from a file written by `fnb schema`; of several tables, their keys and files too
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    #[arg(skip)]
    parsed: OnceLock<SchemaFile>,
    #[command(flatten)]
    pub(crate) sparse: SparseArgs,
}

impl ReadArgs {
    /// The same as options of the reader, with what a schema file of one table says.
    pub(crate) fn options(&self) -> fnb::Result<ReadOptions> {
        let options = self.options_without_schema();
        Ok(match self.schema_file()? {
            Some(SchemaFile::One(schema)) => options.with_schema(schema),
            _ => options,
        })
    }

    /// The same as far as it was given by options.
    pub(crate) fn options_without_schema(&self) -> ReadOptions {
        ReadOptions {
            separator: self.sep,
            header: self.no_header.then_some(false),
            na: self.na.clone(),
            columns: self.types.clone(),
            drop: self.drop.clone(),
            ..ReadOptions::default()
        }
    }

    /// The schema file, if it is one of several tables.
    pub(crate) fn schema_of_tables(&self) -> fnb::Result<Option<&SchemaOfTables>> {
        Ok(match self.schema_file()? {
            Some(SchemaFile::Several(schema)) => Some(schema),
            _ => None,
        })
    }

    /// The files that hold `data`, those of a schema file and those of sparse tables, as they are named.
    pub(crate) fn inputs(&self, data: &[String]) -> fnb::Result<Vec<String>> {
        let mut inputs = data.to_vec();
        inputs.extend(self.sparse.files().cloned());
        if let Some(path) = &self.schema {
            inputs.push(path.to_string_lossy().into_owned());
        }
        if let Some(schema) = self.schema_of_tables()? {
            let files = schema.files.iter();
            // The main table may be given in the place of that of the schema.
            let read = files.filter(|(table, _)| data.is_empty() || !table.is_empty());
            inputs.extend(read.map(|(_, file)| file.clone()));
        }
        Ok(inputs)
    }

    /// The schema file, read when it is first asked for.
    fn schema_file(&self) -> fnb::Result<Option<&SchemaFile>> {
        if let (Some(path), None) = (&self.schema, self.parsed.get()) {
            let file = SchemaFile::read(path)?;
            return Ok(Some(self.parsed.get_or_init(|| file)));
        }
        Ok(self.parsed.get())
    }
}

fn separator(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        "space" => Ok(b' '),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | b'"') => Ok(*byte),
            _ => Err("one character, `tab` or `space`".into()),
        },
    }
}

fn typed_column(text: &str) -> Result<Expected, String> {
    match text.rsplit_once('=') {
        Some((name, word)) => Expected::in_a_word(name, word),
        None => Err("COLUMN=TYPE, for instance zip=cat".into()),
    }
}

/// What rows count.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Weights of rows")]
pub(crate) struct WeightArgs {
    /// A column of numbers: how many rows each row stands for; it is not used as an input
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,
    /// Factors of these weights when learning: `balanced`, or a number per class
    #[arg(
        long,
        value_name = "balanced|CLASS=NUMBER,...",
        value_delimiter = ',',
        value_parser = class_weight
    )]
    class_weight: Vec<ClassWeight>,
}

/// One item of `--class-weight`.
#[derive(Debug, Clone)]
enum ClassWeight {
    Balanced,
    Given(String, f64),
}

fn class_weight(text: &str) -> Result<ClassWeight, String> {
    let given = text
        .rsplit_once('=')
        .and_then(|(class, weight)| Some((class, weight.parse().ok()?)));
    match given {
        Some((class, weight)) => Ok(ClassWeight::Given(class.to_owned(), weight)),
        None if text == "balanced" => Ok(ClassWeight::Balanced),
        None => Err("balanced or CLASS=NUMBER, for instance yes=5".into()),
    }
}

impl WeightArgs {
    pub(crate) fn are_given(&self) -> bool {
        self.weight.is_some() || !self.class_weight.is_empty()
    }

    /// The factors by class, if any are wanted.
    pub(crate) fn classes(&self) -> fnb::Result<Option<ClassWeights>> {
        let mut given = Vec::new();
        for item in &self.class_weight {
            match item {
                ClassWeight::Balanced if self.class_weight.len() == 1 => {
                    return Ok(Some(ClassWeights::Balanced));
                }
                ClassWeight::Balanced => {
                    let message = "--class-weight is balanced or a number per class, not both";
                    return Err(Error::new(Code::Usage, message).help("choose one of the two"));
                }
                ClassWeight::Given(class, weight) => given.push((class.clone(), *weight)),
            }
        }
        Ok((!given.is_empty()).then_some(ClassWeights::Given(given)))
    }
}

/// How to learn.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Learning")]
pub(crate) struct LearnArgs {
    /// Settings to start from
    #[arg(long, value_enum, default_value_t = PresetName::Default)]
    pub(crate) preset: PresetName,
    /// How the weights are learnt: nb, snb-map, snb, fnb, fnb-khiops, fnb-ordered, coordinate, sg,
    /// am, sg.cf, sg.ue, ug.cf, ug.ue, cg.cf or cg.ue [default: that of the preset]
    #[arg(long, value_parser = method)]
    pub(crate) method: Option<Method>,
    /// Weight of the prior: the larger, the fewer variables [default: that of the preset]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) lambda: Option<f64>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) construct: ConstructArgs,
    #[command(flatten)]
    pub(crate) texts: TextArgs,
    #[command(flatten)]
    pub(crate) together: TogetherArgs,
}

/// Variables made of several columns, as Khiops makes them.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Construction")]
pub(crate) struct TogetherArgs {
    /// Number of pairs of variables to try, at most, with preset khiops [default: 0]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(crate) pairs: Option<usize>,
    /// Number of trees to grow, at most, with preset khiops [default: 0]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(crate) trees: Option<usize>,
}

impl TogetherArgs {
    /// What was given, on top of other settings.
    fn over(&self, base: Settings) -> Settings {
        Settings {
            prepare: PrepareSettings {
                pairs: self.pairs.unwrap_or(base.prepare.pairs),
                trees: self.trees.unwrap_or(base.prepare.trees),
                ..base.prepare
            },
            ..base
        }
    }
}

/// What to make of texts.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Construction")]
pub(crate) struct TextArgs {
    /// Number of variables to make of texts, at most [default: 1000; preset khiops: 0]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(crate) text_features: Option<usize>,
    /// How texts are cut: words, tokens (at blanks only) or ngrams (of 1 to 8 bytes) [default: words]
    #[arg(long, value_name = "HOW", value_parser = tokeniser)]
    pub(crate) text: Option<Tokeniser>,
}

impl TextArgs {
    /// What was given, on top of other settings.
    pub(crate) fn over(&self, base: Settings) -> Settings {
        let construct = base.construct;
        Settings {
            construct: ConstructSettings {
                text_features: self.text_features.unwrap_or(construct.text_features),
                tokeniser: self.text.unwrap_or(construct.tokeniser),
                ..construct
            },
            ..base
        }
    }
}

/// What to construct from several tables and from dates.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Construction")]
pub(crate) struct ConstructArgs {
    /// Number of variables to construct from several tables or from dates, at most [default: 1000]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(crate) features: Option<usize>,
    #[arg(
        long,
        value_name = "RULE,...",
        help = format!(
            "What to construct them by: families ({}) or rules by name [default: all; with preset \
             khiops, table and entity]",
            Family::ALL.map(Family::as_str).join(", ")
        )
    )]
    pub(crate) rules: Option<String>,
}

impl ConstructArgs {
    /// What was given, on top of other settings.
    pub(crate) fn over(&self, base: Settings) -> fnb::Result<Settings> {
        let construct = base.construct;
        Ok(Settings {
            construct: ConstructSettings {
                features: self.features.unwrap_or(construct.features),
                rules: match &self.rules {
                    Some(rules) => rules.parse()?,
                    None => construct.rules,
                },
                ..construct
            },
            ..base
        })
    }
}

/// How to search; `compare` uses them for all its methods.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Learning")]
pub(crate) struct SearchArgs {
    /// Number of variables of the model, at most: the best of that size, re-optimised
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(crate) max_selected: Option<usize>,
    /// Leave out variables as long as the criterion stays within this share of the lowest one found
    /// [default: 0.001 with coordinate, otherwise none leaves for that]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) sparser: Option<f64>,
    /// Tables over several variables that correct what the columns one by one do not explain: auto, as many
    /// as pay their price; none, the plain model; or at most K, 0 for better profiles alone [default: that of
    /// the preset]
    #[arg(long, value_name = "auto|none|K", value_parser = interactions, allow_negative_numbers = true)]
    pub(crate) interactions: Option<Interactions>,
    /// What a variable costs in the prior: full, as published, or excess, what it costs beyond the class
    /// counts of all rows [default: that of the preset]
    #[arg(long, value_parser = price)]
    pub(crate) price: Option<Price>,
    /// Method coordinate solves the convex relaxation first: a lower criterion, more work
    #[arg(long)]
    pub(crate) continuation: bool,
    /// Where a continuous method starts: half, norm, snb or fnb [default: norm; coordinate: empty]
    #[arg(long, value_parser = start)]
    pub(crate) start: Option<Start>,
    /// Exponent of the weights in the prior
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) p: Option<f64>,
    /// Below this weight the prior of the continuous methods is a straight line [default: 0.0001]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) delta: Option<f64>,
    /// A gradient method stops when the weights move by less, relative to their norm [default: 0.01]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) epsilon: Option<f64>,
    /// A continuous method stops when the criterion gains less, as a share of it [default: 0.00001]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Iterations of one stage of a continuous method, at most [default: 500]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_iterations: Option<usize>,
    /// Seed of the random orders of methods snb-map, snb and fnb
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,
}

/// The method of a name.
pub(crate) fn method(name: &str) -> Result<Method, String> {
    let all = Method::ALL;
    let found = all.into_iter().find(|method| method.as_str() == name);
    found.ok_or_else(|| {
        let names_of_all = all.map(Method::as_str);
        let meant = nearest_name(name, names_of_all)
            .map(|nearest| format!("did you mean {nearest}? "))
            .unwrap_or_default();
        format!("{meant}the methods are {}", names(&names_of_all))
    })
}

fn interactions(text: &str) -> Result<Interactions, String> {
    let parsed = text.parse();
    parsed.map_err(|error: Error| error.message().to_owned())
}

fn tokeniser(name: &str) -> Result<Tokeniser, String> {
    let names: [&str; 3] = Tokeniser::ALL.map(Tokeniser::as_str);
    let parsed = name.parse();
    parsed.map_err(|_: Error| format!("one of {}", names.join(", ")))
}

fn start(name: &str) -> Result<Start, String> {
    let all = Start::ALL;
    let found = all.into_iter().find(|start| start.as_str() == name);
    found.ok_or_else(|| format!("one of {}", names(&all.map(Start::as_str))))
}

fn price(name: &str) -> Result<Price, String> {
    let all = Price::ALL;
    let found = all.into_iter().find(|price| price.as_str() == name);
    found.ok_or_else(|| format!("one of {}", names(&all.map(Price::as_str))))
}

fn names(names: &[&str]) -> String {
    names.join(", ")
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum PresetName {
    /// The best we know
    #[default]
    Default,
    /// What Khiops 11 does, exactly
    Khiops,
    /// The published algorithm
    Paper,
}

impl From<PresetName> for Preset {
    fn from(name: PresetName) -> Self {
        match name {
            PresetName::Default => Self::Default,
            PresetName::Khiops => Self::Khiops,
            PresetName::Paper => Self::Paper,
        }
    }
}

impl LearnArgs {
    /// The checked settings.
    pub(crate) fn settings(&self) -> fnb::Result<Settings> {
        let base = Settings::preset(self.preset.into());
        let learn = LearnSettings {
            method: self.method.unwrap_or(base.learn.method),
            lambda: self.lambda.unwrap_or(base.learn.lambda),
            ..base.learn
        };
        let settings = Settings {
            learn: self.search.over(&learn),
            ..base
        };
        let settings = self.texts.over(self.construct.over(settings)?);
        let settings = self.together.over(settings);
        settings.check()?;
        Ok(settings)
    }
}

impl SearchArgs {
    /// What was given, on top of other settings.
    pub(crate) fn over(&self, base: &LearnSettings) -> LearnSettings {
        LearnSettings {
            start: self.start.or(base.start),
            p: self.p.unwrap_or(base.p),
            delta: self.delta.unwrap_or(base.delta),
            epsilon: self.epsilon.unwrap_or(base.epsilon),
            tolerance: self.tolerance.unwrap_or(base.tolerance),
            max_iterations: self.max_iterations.unwrap_or(base.max_iterations),
            continuation: self.continuation || base.continuation,
            max_selected: self.max_selected.or(base.max_selected),
            price: self.price.unwrap_or(base.price),
            sparser: self.sparser.or(base.sparser),
            interactions: self.interactions.unwrap_or(base.interactions),
            seed: self.seed,
            ..base.clone()
        }
    }
}

/// Parses `class=probability`.
pub(crate) fn class_probability(text: &str) -> Result<(String, f64), String> {
    let parsed = text
        .rsplit_once('=')
        .and_then(|(class, p)| Some((class, p.parse().ok()?)));
    match parsed {
        Some((class, p)) => Ok((class.to_owned(), p)),
        None => Err("CLASS=PROBABILITY, for instance yes=0.01".into()),
    }
}

/// Position of a class by its name.
pub(crate) fn class_position(classes: &[String], name: &str) -> fnb::Result<usize> {
    classes
        .iter()
        .position(|class| class == name)
        .ok_or_else(|| {
            let shown: Vec<String> = classes
                .iter()
                .take(12)
                .map(|class| format!("{class:?}"))
                .collect();
            Error::new(Code::Usage, format!("there is no class {name:?}"))
                .help(format!("the classes are {}", shown.join(", ")))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use fnb::columns::ColumnType;

    /// The help of an option of `train`.
    fn help(option: &str) -> String {
        let program = Cli::command();
        let train = program.find_subcommand("train").expect("a command");
        let mut options = train.get_arguments();
        let found = options.find(|found| found.get_long() == Some(option));
        found
            .and_then(clap::Arg::get_help)
            .expect("help")
            .to_string()
    }

    #[test]
    fn help_and_messages_list_every_type() {
        let message = typed_column("x=foo").expect_err("no type");
        assert!(message.starts_with("\"foo\" is not a type: "), "{message}");
        for text in [message, help("type")] {
            for word in ColumnType::ALL
                .map(ColumnType::as_str)
                .into_iter()
                .chain(["ignore"])
            {
                assert!(text.contains(word), "{word} is not in {text}");
            }
        }
        for ty in ColumnType::ALL
            .into_iter()
            .filter(|ty| ty.temporal().is_some())
        {
            assert!(help("rules").contains(ty.as_str()), "{ty}");
        }
        assert!(help("rules").contains("(table, entity, date,"));
    }
}
