"""Tables over several variables: the same folds without them, with them, and by other tools.

    python bench/interactions.py PROGRAM DATA REFERENCE RESULTS DOCUMENT [SET ...]

PROGRAM is the built `fnb`, DATA a folder of data sets with a manifest and fixed folds, REFERENCE
the figures of other tools on these folds. Figures go to RESULTS (JSON), those of all sets or of the
given ones; what DOCUMENT has between marks is written anew: the table, the bars of
`interactions_bars.py`, and the figures of `ebm.json` on the folds that are there. If PROGRAM is
`-`, from the RESULTS that are there.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys

from interactions_bars import outcome

FIGURES = ("auc", "accuracy", "compression")
COUNTS = ("selected", "tables")
TOOLS = {
    "khiops": "Khiops",
    "khiops-trees10": "Khiops, 10 trees",
    "lightgbm": "LightGBM",
}
COMPARED = ((), ("lightgbm",), ("khiops-trees10", "lightgbm"))
OF_REFERENCE = ("khiops", "khiops-trees10", "lightgbm")
EBM = pathlib.Path(__file__).with_name("ebm.json")
# Everything was chosen on the first half; the second was looked at afterwards.
CHOSEN_ON = (
    "Iris Hepatitis Flag Glass Heart Bupa Australian Pima Tictactoe LED Svmguide3 Yeast MfeatMor "
    "Segmentation MadelineLike SickEuthyroid WaveformNoise Sylvine Satimage PenDigits Letter "
    "PokerHand Jannis Adult Connect4"
).split()
CONFIRMED_ON = (
    "Wine Ionosphere Horsecolic WDBC Crx Breast MfeatZer MfeatFou MfeatKar MfeatFac MfeatPix "
    "Jasmine Hypothyroid Abalone Phoneme Waveform Isolet Svmguide1 Thyroid Twonorm Mushroom LED17 "
    "ForestType"
).split()


def of_folds(folds, keys=FIGURES):
    """Means, and every fold."""
    means = {key: statistics.mean(fold[key] for fold in folds) for key in keys}
    return {**means, "folds": [{key: fold[key] for key in ("fold", *keys)} for fold in folds]}


def run(program, folder, target, interactions):
    """Every fold, means over them, and the processor time of all."""
    command = [program, "train", folder / "data.parquet", "-t", target, "--json", "--threads", "1"]
    command += ["--folds", folder / "folds.parquet", "--interactions", interactions]
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = os.times()
    folds = json.loads(done.stdout)["cv"]["folds"]
    spent = after.children_user - before.children_user
    spent += after.children_system - before.children_system
    return {"cpu": spent, **of_folds(folds, (*FIGURES, *COUNTS))}


def measure(program, data, reference, results, names):
    known = {
        entry["name"]: entry
        for entry in json.loads((data / "manifest.json").read_text())["datasets"]
    }
    others = json.loads(reference.read_text())["datasets"]
    found = json.loads(results.read_text()) if names else {}
    for name in names or CHOSEN_ON + CONFIRMED_ON:
        entry = known[name]
        line = {
            "rows": entry["n_instances"],
            "columns": entry["n_variables"],
            "classes": entry["n_classes"],
        }
        for interactions in ("none", "auto"):
            line[interactions] = run(program, data / name, entry["target"], interactions)
        for tool in OF_REFERENCE:
            folds = others[name]["tools"].get(tool, {}).get("folds")
            if folds:
                line[tool] = of_folds(folds)
        found[name] = line
        print(name, line["none"]["auc"], line["auto"]["auc"], flush=True)
        results.write_text(json.dumps(found, indent=1) + "\n")
    return found


def shown(figures):
    return " / ".join(
        f"{figures[key]:.4f}" if key == "auc" else f"{figures[key]:.3f}" for key in FIGURES
    )


def means(found, names, column):
    return {key: statistics.mean(found[name][column][key] for name in names) for key in FIGURES}


def ebm_table(found):
    """On the folds that EBM was run on."""
    lines = [
        "| set | folds | plain | with interactions | LightGBM | EBM | pairs | EBM: CPU s a fold |",
        "|---|---|---|---|---|---|---|---|",
    ]
    shares = {"none": [], "auto": [], "lightgbm": [], "ebm": []}
    for name, theirs in json.loads(EBM.read_text())["sets"].items():
        run_on = [fold["fold"] for fold in theirs]
        if not run_on:
            continue
        of_tool = {"ebm": theirs}
        for tool in ("none", "auto", "lightgbm"):
            folds = found[name][tool]["folds"]
            of_tool[tool] = [fold for fold in folds if fold["fold"] in run_on]
        cells = [name, str(len(run_on))]
        for tool, all_of_tool in shares.items():
            figures = {key: statistics.mean(f[key] for f in of_tool[tool]) for key in FIGURES}
            all_of_tool.append(figures)
            cells.append(f"**{shown(figures)}**" if tool == "auto" else shown(figures))
        cells.append(f"{statistics.mean(fold['pairs'] for fold in theirs):.0f}")
        cells.append(f"{statistics.mean(fold['cpu'] for fold in theirs):.0f}")
        lines.append("| " + " | ".join(cells) + " |")
    cells = []
    for tool, of_sets in shares.items():
        figures = {key: statistics.mean(f[key] for f in of_sets) for key in FIGURES}
        cells.append(f"**{shown(figures)}**" if tool == "auto" else shown(figures))
    lines.append(f"| **mean of {len(of_sets)}** | | " + " | ".join(cells) + " | | |")
    return "\n".join(lines)


def table(found):
    """AUC / accuracy / compression of every set, then means."""
    lines = [
        "| set (rows, columns, classes) | plain | with interactions | tables "
        "| Khiops, 10 trees | LightGBM | CPU |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, line in found.items():
        size = f"{line['rows']:,}, {line['columns']:,}, {line['classes']}"
        ratio = line["auto"]["cpu"] / max(line["none"]["cpu"], 0.01)
        tools = ("khiops-trees10", "lightgbm")
        others = [shown(line[tool]) if tool in line else "–" for tool in tools]
        cells = [f"{name} ({size})", shown(line["none"]), f"**{shown(line['auto'])}**"]
        cells += [f"{line['auto']['tables']:.1f}", *others, f"{ratio:.1f}"]
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    halves = {"chosen on": CHOSEN_ON, "confirmed on": CONFIRMED_ON, "all": CHOSEN_ON + CONFIRMED_ON}
    for half, names in halves.items():
        for tools in COMPARED:
            both = [
                name for name in names if name in found and all(t in found[name] for t in tools)
            ]
            if not both:
                continue
            text = [
                f"plain {shown(means(found, both, 'none'))}",
                f"interactions **{shown(means(found, both, 'auto'))}**",
            ]
            text += [f"{TOOLS[tool]} {shown(means(found, both, tool))}" for tool in tools]
            lines.append(f"- {half}, {len(both)} sets: {'; '.join(text)}")
    ratios = [line["auto"]["cpu"] / max(line["none"]["cpu"], 0.01) for line in found.values()]
    total = [sum(line[which]["cpu"] for line in found.values()) for which in ("none", "auto")]
    lines.append(
        f"- processor time with interactions over plain: median {statistics.median(ratios):.1f}; "
        f"all folds of all sets {total[0]:.0f} s and {total[1]:.0f} s"
    )
    return "\n".join(lines)


def bars(found):
    """Those that do not hold, by name; the others, by number."""
    lines = outcome(found)
    failed = [line for line in lines if not line[3]]
    text = [f"{len(lines) - len(failed)} of {len(lines)} bars hold. Those that do not:"]
    if not failed:
        return f"All {len(lines)} bars hold."
    text += ["", "| bar | | measured |", "|---|---|---|"]
    text += [f"| {what} | {bar} | {value} |" for what, value, bar, _ in failed]
    return "\n".join(text)


def write(page, mark, text):
    """Between `<!-- mark -->` and the next `<!-- end -->`."""
    opening = f"<!-- {mark} -->\n"
    before, _, rest = page.partition(opening)
    after = rest.partition("<!-- end -->\n")[2]
    return f"{before}{opening}{text}\n<!-- end -->\n{after}"


def main():
    program, data, reference, results, target = sys.argv[1:6]
    results = pathlib.Path(results)
    if program == "-":
        found = json.loads(results.read_text())
    else:
        data, reference = pathlib.Path(data), pathlib.Path(reference)
        found = measure(program, data, reference, results, sys.argv[6:])
    page = pathlib.Path(target)
    text = page.read_text()
    for mark, make in {"table": table, "bars": bars, "ebm": ebm_table}.items():
        text = write(text, mark, make(found))
    page.write_text(text)


if __name__ == "__main__":
    main()
