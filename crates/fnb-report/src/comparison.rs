//! Several models side by side.

use crate::page::document;
use crate::text::{chip, count, escape, figure, name, percent, weight};
use crate::view::{Rows, View};
use crate::{NamedModel, Options};
use fnb::{Code, Error, Result};
use std::collections::BTreeMap;

/// Variables of the table.
const VARIABLES: usize = 200;

pub(crate) fn page(models: &[NamedModel], options: &Options) -> Result<String> {
    let views = models.iter().map(|model| View::new(model, options));
    let views: Vec<View> = views.collect::<Result<_>>()?;
    let target = views[0].model.target();
    for view in &views[1..] {
        let other = view.model.target();
        if other.name != target.name || other.classes != target.classes {
            let message = if other.name == target.name {
                format!(
                    "the models predict different targets: the classes of {:?} are {} in one and {} in another",
                    target.name,
                    target.classes.join(", "),
                    other.classes.join(", ")
                )
            } else {
                format!(
                    "the models predict different targets: {:?} and {:?}",
                    target.name, other.name
                )
            };
            return Err(Error::new(Code::UnusableData, message)
                .help("compare models of the same target and the same classes"));
        }
    }
    let title = options
        .title
        .clone()
        .unwrap_or_else(|| format!("{} models of {}", models.len(), target.name));
    let sections = [
        ("summary", "Summary", summary(&views, models, &title)),
        ("figures", "Figures", figures(&views, models)),
        ("variables", "Variables", variables(&views, models)),
        ("reproduce", "Reproduce", reproduce(&views, models)),
    ];
    let mut nav = String::from("<ol>");
    let mut main = String::new();
    for (id, title, body) in &sections {
        nav.push_str(&format!("<li><a href=#s-{id}>{title}</a>"));
        main.push_str(&format!(
            "<section id=s-{id} aria-labelledby=h-{id}>{body}</section>\n"
        ));
    }
    nav.push_str("</ol>");
    Ok(document(&title, &nav, &main, "{}"))
}

fn called(model: &NamedModel) -> String {
    name(model.name, 40)
}

fn summary(views: &[View], models: &[NamedModel], title: &str) -> String {
    let measured = || {
        views
            .iter()
            .enumerate()
            .filter_map(|(i, view)| Some((i, view.quality.shown?.log_loss)))
    };
    let best = measured().reduce(|best, next| if next.1 < best.1 { next } else { best });
    let same_rows = views.windows(2).all(|pair| {
        let rows = |view: &View| (view.quality.rows, view.quality.shown.map(|s| s.rows));
        rows(&pair[0]) == rows(&pair[1])
    });
    let mut html = format!("<h1 id=h-summary>{}</h1>", escape(title));
    if let Some((best, loss)) = best {
        html.push_str(&format!(
            "<p class=lead>{} has the lowest log loss, {}. It uses {} variables.</p>",
            chip(models[best].name),
            figure(loss),
            count(views[best].used())
        ));
    }
    if !same_rows {
        html.push_str(
            "<div class=warn role=note><b>Note: not the same rows.</b> The figures were measured on different numbers or kinds of \
             rows and cannot be compared strictly. <code>fnb report A B --data DATA</code> measures all on the same.</div>",
        );
    } else if views.iter().all(|view| view.quality.rows == Rows::Training) {
        html.push_str(
            "<div class=warn role=note><b>Note: training rows.</b> The figures are those of the training rows; expect less on new \
             ones.</div>",
        );
    }
    html
}

fn figures(views: &[View], models: &[NamedModel]) -> String {
    let lines: String = views
        .iter()
        .zip(models)
        .map(|(view, model)| {
            let Some(e) = view.quality.shown else {
                return format!("<tr><th class=row scope=row>{}<td colspan=7 class=soft>not measured", called(model));
            };
            format!(
                "<tr><th class=row scope=row>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=b><i class=p \
                 style=\"width:{:.1}%\"></i><td class=n>{}<td class=hs>{} {}",
                called(model),
                count(view.used()),
                e.auc.map_or("–".into(), figure),
                percent(e.accuracy),
                figure(e.compression),
                100.0 * e.compression.clamp(0.0, 1.0),
                figure(e.log_loss),
                count(e.rows),
                view.quality.rows.word()
            )
        })
        .collect();
    format!(
        "<h2 id=h-figures><span class=num>2</span>Figures <small>Which is better?</small></h2><div class=scroll tabindex=0 role=group aria-label=Figures><table data-sort \
         id=t-figures><thead><tr><th scope=col>Model<th scope=col class=n>Variables<th scope=col class=n>AUC<th scope=col \
         class=n>Accuracy<th scope=col class=n>Compression<td><th scope=col class=n>Log loss<th scope=col \
         class=hs>Measured on</thead><tbody>{lines}</tbody></table></div><p class=note>Lower log loss is better, higher of the \
         others.</p>"
    )
}

fn variables(views: &[View], models: &[NamedModel]) -> String {
    let mut importance: BTreeMap<&str, f64> = BTreeMap::new();
    for term in views.iter().flat_map(|view| &view.terms) {
        *importance.entry(&term.term.name).or_default() += term.term.importance;
    }
    let mut order: Vec<(&str, f64)> = importance.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let most = views
        .iter()
        .flat_map(|view| &view.terms)
        .map(|term| term.term.importance)
        .fold(1e-12, f64::max);
    let heads: String = models
        .iter()
        .map(|model| format!("<th scope=col colspan=2>{}", called(model)))
        .collect();
    let mut lines = String::new();
    for (variable, _) in order.iter().take(VARIABLES) {
        lines.push_str(&format!(
            "<tr><th class=row scope=row>{}",
            name(variable, 60)
        ));
        for view in views {
            let term = view.terms.iter().find(|term| term.term.name == *variable);
            lines.push_str(&match term {
                Some(term) => format!(
                    "<td class=n title=\"weight {}\">{}<td class=b><i class=p style=\"width:{:.1}%\"></i>",
                    weight(term.term.weight),
                    percent(term.term.importance),
                    100.0 * term.term.importance / most
                ),
                None => "<td class=\"n soft\">–<td class=b>".into(),
            });
        }
    }
    let hidden = match order.len().saturating_sub(VARIABLES) {
        0 => String::new(),
        n => format!(" {} less important ones are not listed.", count(n)),
    };
    format!(
        "<h2 id=h-variables><span class=num>3</span>Variables <small>What does each model rely on?</small></h2><div class=scroll \
         tabindex=0 role=group aria-label=\"Importance by model\"><table id=t-compared><thead><tr><th \
         scope=col>Variable{heads}</thead><tbody>{lines}</tbody></table></div><p class=note>Importance: share of the mean absolute \
         contribution.{hidden}</p>"
    )
}

fn reproduce(views: &[View], models: &[NamedModel]) -> String {
    let lines: String = views
        .iter()
        .zip(models)
        .map(|(view, model)| {
            format!(
                "<tr><th class=row scope=row>{}<td class=n>{}<td><code>{}</code>",
                called(model),
                count(view.model.training().rows),
                escape(&view.checksum())
            )
        })
        .collect();
    format!(
        "<h2 id=h-reproduce><span class=num>4</span>Reproduce <small>Which models are these?</small></h2><table><thead><tr><th \
         scope=col>Model<th scope=col class=n>Training rows<th scope=col>Hash</thead><tbody>{lines}</tbody></table>"
    )
}
