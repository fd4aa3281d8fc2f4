"""Tables over several variables: the same folds without them, with them, and by other tools.

    python bench/interactions.py PROGRAM DATA REFERENCE RESULTS DOCUMENT

PROGRAM is the built `fnb`, DATA a folder of data sets with a manifest and fixed folds, REFERENCE
the figures of other tools on these folds. Figures go to RESULTS (JSON), and the table of DOCUMENT
between its two marks is written anew; if PROGRAM is `-`, from the RESULTS that are there.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys

FIGURES = ("auc", "accuracy", "compression")
TOOLS = {"khiops": "Khiops", "khiops-trees10": "Khiops, 10 trees", "lightgbm": "LightGBM"}
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


def run(program, folder, target, interactions):
    """Means over the folds, and the processor time of all of them."""
    command = [program, "train", folder / "data.parquet", "-t", target, "--json", "--threads", "1"]
    command += ["--folds", folder / "folds.parquet", "--interactions", interactions]
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = os.times()
    folds = json.loads(done.stdout)["cv"]["folds"]
    means = {
        key: statistics.mean(fold[key] for fold in folds)
        for key in (*FIGURES, "selected", "tables")
    }
    spent = after.children_user - before.children_user
    return {**means, "cpu": spent + after.children_system - before.children_system}


def measure(program, data, reference, results):
    known = {
        entry["name"]: entry
        for entry in json.loads((data / "manifest.json").read_text())["datasets"]
    }
    others = json.loads(reference.read_text())["datasets"]
    found = {}
    for name in CHOSEN_ON + CONFIRMED_ON:
        entry = known[name]
        line = {
            "rows": entry["n_instances"],
            "columns": entry["n_variables"],
            "classes": entry["n_classes"],
        }
        for interactions in ("none", "auto"):
            line[interactions] = run(program, data / name, entry["target"], interactions)
        for tool in TOOLS:
            folds = others[name]["tools"].get(tool, {}).get("folds")
            if folds:
                line[tool] = {key: statistics.mean(fold[key] for fold in folds) for key in FIGURES}
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


def document(found):
    """AUC / accuracy / compression of every set, then means."""
    lines = [
        "| set (rows, columns, classes) | plain | with interactions | tables "
        "| Khiops, 10 trees | LightGBM | CPU |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, line in found.items():
        size = f"{line['rows']:,}, {line['columns']:,}, {line['classes']}"
        ratio = line["auto"]["cpu"] / max(line["none"]["cpu"], 0.01)
        others = [
            shown(line[tool]) if tool in line else "–" for tool in ("khiops-trees10", "lightgbm")
        ]
        cells = [f"{name} ({size})", shown(line["none"]), f"**{shown(line['auto'])}**"]
        cells += [f"{line['auto']['tables']:.1f}", *others, f"{ratio:.1f}"]
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    halves = {"chosen on": CHOSEN_ON, "confirmed on": CONFIRMED_ON, "all": CHOSEN_ON + CONFIRMED_ON}
    for half, names in halves.items():
        for tools in ((), ("lightgbm",), ("khiops-trees10", "lightgbm")):
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


def main():
    program, data, reference, results, target = sys.argv[1:]
    results = pathlib.Path(results)
    if program == "-":
        found = json.loads(results.read_text())
    else:
        found = measure(program, pathlib.Path(data), pathlib.Path(reference), results)
    page = pathlib.Path(target)
    before, _, rest = page.read_text().partition("<!-- table -->\n")
    after = rest.partition("<!-- end -->\n")[2]
    page.write_text(f"{before}<!-- table -->\n{document(found)}\n<!-- end -->\n{after}")


if __name__ == "__main__":
    main()
