//! How to get exactly this again?

use super::Section;
use crate::text::{count, escape, number};
use crate::view::View;
use fnb::Settings;
use fnb::relational::Schema;
use serde_json::Value;

pub(crate) fn section(view: &View) -> Section {
    let (model, training) = (view.model, view.model.training());
    let command = command(view);
    let producer = model.producer();
    let mut facts = vec![
        (
            "Program",
            format!("{} {}", escape(&producer.name), escape(&producer.version)),
        ),
        (
            "Method",
            settings(&training.params)
                .get("method")
                .and_then(Value::as_str)
                .map_or_else(|| "–".into(), |method| escape(method).into_owned()),
        ),
        ("Training rows", count(training.rows)),
        (
            "Variables",
            format!(
                "{} tried, {} informative, {} selected",
                count(training.columns),
                count(training.informative),
                count(training.selected)
            ),
        ),
        (
            "Criterion",
            format!(
                "{} nats, of {} without variables",
                number(training.criterion.total),
                number(training.null_criterion)
            ),
        ),
    ];
    if let Some(test) = &model.evaluation().test {
        facts.push(("Test rows", count(test.rows)));
    }
    facts.push((
        "Hash of the model",
        format!("<code>{}</code>", escape(&view.checksum())),
    ));
    let lines: String = facts
        .iter()
        .map(|(what, value)| format!("<tr><th class=row scope=row>{what}<td>{value}"))
        .collect();
    Section {
        id: "reproduce",
        title: "Reproduce",
        question: "How to get exactly this again?",
        body: format!(
            "<p>The same data, the same settings and the same split into training and test rows give the same model, to the last bit, on any computer and with any number \
             of threads; and the same model gives this page.</p><pre id=command tabindex=0>{}</pre><p class=script><button \
             type=button data-copy=command>Copy</button></p><table><tbody>{lines}</tbody></table>",
            escape(&command)
        ),
    }
}

/// The settings as the model file has them.
fn settings(settings: &Settings) -> serde_json::Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(settings)) => settings,
        _ => serde_json::Map::new(),
    }
}

/// Settings that are options of the program under the same name, hyphens for underscores.
const OPTIONS: [&str; 10] = [
    "method",
    "lambda",
    "max_selected",
    "sparser",
    "interactions",
    "features",
    "text_features",
    "pairs",
    "trees",
    "seed",
];

/// The command that learns the model, its files left open.
fn command(view: &View) -> String {
    let params = &view.model.training().params;
    let mut command = format!(
        "fnb train DATA --target {}",
        quoted(&view.model.target().name)
    );
    for table in view.model.tables().iter().skip(1) {
        let keys = view
            .model
            .schema()
            .and_then(|schema| keys(schema, &table.name));
        let keys = keys.unwrap_or_else(|| "KEY".into());
        let argument = match table.name.strip_prefix('/') {
            Some(name) => format!(" --lookup {}=FILE:{keys}@COLUMN", quoted(name)),
            None => format!(
                " --table {}=FILE:{keys}",
                quoted(&table.name.replace('/', "."))
            ),
        };
        command.push_str(&argument);
    }
    let own = settings(params);
    let usual = settings(&Settings::preset(params.preset));
    if let Some(preset) = own.get("preset").and_then(Value::as_str)
        && *params != Settings::default()
        && preset != "default"
    {
        command.push_str(&format!(" --preset {preset}"));
    }
    for option in OPTIONS {
        let (Some(value), usual) = (own.get(option), usual.get(option)) else {
            continue;
        };
        if Some(value) != usual && !value.is_null() {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            command.push_str(&format!(
                " --{} {}",
                option.replace('_', "-"),
                quoted(&value)
            ));
        }
    }
    command.push_str(" -o MODEL");
    command
}

/// The columns of a table that hold the key of its owner, or its own key if it is looked up.
fn keys(schema: &Schema, path: &str) -> Option<String> {
    let key = &schema.entity(schema.entity_at(path)?).key;
    let looked_up = path.starts_with('/') && path.matches('/').count() == 1;
    let of_owner = match path.rsplit_once('/') {
        _ if looked_up => key.len(),
        Some((owner, _)) => schema.entity(schema.entity_at(owner)?).key.len(),
        None => schema.entity(&schema.root).key.len(),
    };
    Some(
        key.iter()
            .take(of_owner)
            .map(|column| quoted(column))
            .collect::<Vec<_>>()
            .join(","),
    )
}

/// A name as a shell takes it.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
