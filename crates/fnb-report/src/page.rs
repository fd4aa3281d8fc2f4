//! The document around the sections.

use crate::sections::{self, Section};
use crate::text::{escape, name};
use crate::view::View;
use crate::{NamedModel, Options, comparison, payload};
use fnb::{Code, Error, Result};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("../web/dist/report.js");
/// The hash of the script, as a content security policy names it.
const SCRIPT_HASH: &str = include_str!("../web/dist/report.sha256");

pub(crate) fn page(models: &[NamedModel], options: &Options) -> Result<String> {
    match models {
        [] => Err(Error::new(
            Code::UnusableData,
            "there is no model to report on",
        )),
        [one] => {
            let view = View::new(one, options)?;
            let sections = sections::all(&view);
            Ok(document(
                view.title,
                &nav(&sections, &view),
                &main(&sections),
                &payload::json(&view),
            ))
        }
        several => comparison::page(several, options),
    }
}

/// The whole file. The title is a text, the others are HTML and JSON.
pub(crate) fn document(title: &str, nav: &str, main: &str, json: &str) -> String {
    let title = escape(title);
    let hash = SCRIPT_HASH.trim();
    format!(
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport \
         content=\"width=device-width,initial-scale=1\"><meta http-equiv=Content-Security-Policy content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src '{hash}'; img-src data:; base-uri 'none'; form-action 'none'\"><meta \
         name=referrer content=no-referrer><title>{title} – fnb report</title><style>{STYLE}</style></head>\n<body><a class=skip \
         href=#main>Skip to the report</a><header class=top><b>fnb</b><span class=what>{title}</span><div class=\"find script\" \
         id=find></div><button type=button class=script id=theme>Auto</button><button type=button class=script id=help \
         aria-label=\"Help: keys\">?</button></header>\n<div class=page><nav class=side aria-label=Sections>{nav}</nav><main \
         id=main tabindex=-1>{main}</main></div>\n<script type=application/json id=model>{json}</script>\n\
         <script>{SCRIPT}</script></body></html>\n"
    )
}

fn main(sections: &[Section]) -> String {
    let mut html = String::new();
    for (number, section) in sections.iter().enumerate() {
        html.push_str(&format!(
            "<section id=s-{} aria-labelledby=h-{0}>",
            section.id
        ));
        if number == 0 {
            html.push_str(
                &section
                    .body
                    .replacen("<h1>", &format!("<h1 id=h-{}>", section.id), 1),
            );
        } else {
            html.push_str(&format!(
                "<h2 id=h-{}><span class=num>{}</span>{} <small>{}</small></h2>{}",
                section.id,
                number + 1,
                section.title,
                section.question,
                section.body
            ));
        }
        html.push_str("</section>\n");
    }
    html
}

/// Variables that are listed beside the page.
const LISTED: usize = 30;

fn nav(sections: &[Section], view: &View) -> String {
    let mut html = String::from("<ol>");
    for section in sections {
        html.push_str(&format!(
            "<li><a href=#s-{}>{}</a>",
            section.id, section.title
        ));
        if section.id == "variables" {
            let most = view
                .variables()
                .map(|t| t.term.importance)
                .fold(1e-12, f64::max);
            html.push_str("<ol>");
            for term in view.variables().take(LISTED) {
                html.push_str(&format!(
                    "<li><a href=\"#{}\"><span>{}</span><i style=\"width:{:.1}%\"></i></a>",
                    term.id,
                    name(&term.term.name, 40),
                    100.0 * term.term.importance / most
                ));
            }
            html.push_str("</ol>");
        }
    }
    html.push_str("</ol>");
    html
}
