"""What agents decided and what came of it: reads tables that `dp-agent log export` made.

    dp-agent log export sessions/*/*.jsonl --out decisions.csv
    dp-agent log export sessions/*/*.jsonl --table episodes --out episodes.csv
    python3 rewards.py decisions.csv episodes.csv

Reads CSV and JSON lines with nothing but Python, and Parquet with pandas and pyarrow, by the ending of the name.
With pandas, `table` gives the same rows to a notebook: `pandas.DataFrame(rewards.table("decisions.csv"))`.
"""

import collections
import csv
import json
import re
import sys

TEXTS = {"agent", "session", "source", "by", "asked", "commentary", "error", "actions", "answer", "request_id"}


def value(name, text):
    """A cell of a CSV file: empty is None, never 0."""
    if text == "":
        return None
    if name in TEXTS:
        return text
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def table(path):
    """The rows of a table, each a dict by column; what is not known is None."""
    if path.endswith(".parquet"):
        import pandas as pd

        frame = pd.read_parquet(path)
        return frame.astype(object).where(frame.notna(), None).to_dict("records")
    with open(path, newline="", encoding="utf-8") as file:
        if path.endswith(".jsonl"):
            return [json.loads(line) for line in file]
        return [{name: value(name, text) for name, text in row.items()} for row in csv.DictReader(file)]


def show(title, columns, rows):
    """Prints rows under a title, in columns: the first to the left, numbers to the right."""
    print(f"\n## {title}\n")
    if not rows:
        print("(nothing)")
        return
    cells = [columns] + [["-" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(len(row[n]) for row in cells) for n in range(len(columns))]
    for row in cells:
        first, rest = row[0].ljust(widths[0]), [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join([first] + rest))


def total(rows, name):
    return sum(row.get(name) or 0 for row in rows)


def spent(rows):
    """What it cost; None where that of any row is not known: a part is not the whole."""
    costs = [row["cost"] for row in rows]
    return None if None in costs else sum(costs)


def ratio(part, whole, digits=2, times=1):
    return round(part / whole * times, digits) if whole and part is not None else None


def groups(rows, *names):
    found = collections.defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in names)].append(row)
    return sorted(found.items())


EARNED = ["exp", "gold", "hp", "kills", "deaths", "rooms_new"]


def by_source(decisions):
    """Who decided how often, what it earned, and how much of that no command is known for."""
    rows = []
    for (source,), of in groups(decisions, "source"):
        exp = total(of, "exp")
        inferred = ratio(sum(abs(row.get("exp_inferred") or 0) for row in of), abs(exp), 1, 100)
        rows.append([source, len(of)] + [total(of, name) for name in EARNED] + [ratio(exp, len(of)), inferred])
    return ["source", "decisions"] + EARNED + ["exp each", "inferred %"], rows


def best_policies(decisions):
    """What reflexes, upkeep and policies earned, the best ten, and all others together."""
    own = [row for row in decisions if row["source"] != "model"]
    rows = []
    for (source, by), of in groups(own, "source", "by"):
        rows.append([f"{source} {by}", len(of)] + [total(of, name) for name in EARNED])
    rows.sort(key=lambda row: (-row[2], row[0]))
    best, others = rows[:10], rows[10:]
    if others:
        best.append([f"{len(others)} others"] + [sum(column) for column in zip(*(row[1:] for row in others))])
    return ["decided by", "decisions"] + EARNED, best


def cost(decisions):
    """What a kill and a hundred points cost, by model; and how often asking led to nothing."""
    rows = []
    for (model,), of in groups([row for row in decisions if row["source"] == "model"], "by"):
        idle = sum(row["actions"] in ("[]", []) for row in of)
        failed = sum(row["error"] is not None for row in of)
        tokens, kills, exp = (total(of, name) for name in ("tokens_prompt", "kills", "exp"))
        paid = spent(of)
        cached = ratio(total(of, "tokens_cached"), tokens, 1, 100)
        per_kill, per_exp = ratio(paid, kills, 5), ratio(paid, exp, 5, 100) if exp > 0 else None
        rows.append([model, len(of), idle, failed, tokens, cached, ratio(paid, 1, 5), kills, per_kill, per_exp])
    columns = ["model", "asked", "idle", "failed", "tokens", "cached %", "cost", "kills", "cost per kill", "per 100 exp"]
    return columns, rows


# What a commentary says that it expects, and how the row of its decision would show it.
EXPECTATIONS = [
    ("a fight", r"\b(?:fight|attack|kill|strike|hit)", lambda row: (row["kills"] or 0) > 0),
    ("a way", r"\b(?:explor|walk|go |north|south|east|west)", lambda row: (row["rooms_new"] or 0) > 0),
    ("rest", r"\b(?:rest|heal|recover|sleep|breath)", lambda row: (row["hp"] or 0) > 0),
    ("danger", r"\b(?:danger|flee|run|hurt|weak)", lambda row: (row["hp"] or 0) < 0),
]


def calibration(decisions):
    """How often what the commentary speaks of is what happened, beside how often it happens anyway."""
    told = [row for row in decisions if row["source"] == "model" and row["commentary"]]
    rows = []
    for name, words, happened in EXPECTATIONS:
        says = [re.search(words, row["commentary"], re.IGNORECASE) is not None for row in told]
        true = [happened(row) for row in told]
        spoken = sum(says)
        then = sum(said and came for said, came in zip(says, true))
        rows.append([name, spoken, ratio(then, spoken, 1, 100), ratio(sum(true) - then, len(told) - spoken, 1, 100)])
    return ["speaks of", "times", "then it happened %", "otherwise %"], rows


def episodes(rows, decisions):
    """Sessions, with the sum of their rows beside what they say of themselves."""
    of_session = dict(groups(decisions, "agent", "session"))
    shown = []
    for row in rows:
        of = of_session.get((row["agent"], row["session"]), [])
        exp, tokens, paid = total(of, "exp"), total(of, "tokens_prompt"), ratio(spent(of), 1, 6)
        agrees = (exp, tokens, paid) == (row["exp"], row["tokens_prompt"], ratio(row["cost"], 1, 6))
        # Of a session that was killed there is no summary: nothing contradicts its rows.
        verdict = "no summary" if not row.get("whole", True) else "yes" if agrees else "NO"
        shown.append([row["agent"], row["valence"], row["exp"], exp, row["tokens_prompt"], tokens, verdict])
    return ["agent", "valence", "exp", "of rows", "tokens", "of rows", "agrees"], shown


def asked_for(path, what, columns):
    """A table that has these columns, or a sentence that says what is wrong with the file."""
    try:
        rows = table(path)
    except OSError as error:
        sys.exit(f"{path} cannot be read: {error.strerror}")
    except ImportError:
        sys.exit(f"{path} is Parquet, which needs pandas and pyarrow: install them, or export CSV")
    except (ValueError, TypeError, AttributeError, csv.Error):
        sys.exit(f"{path} is no table of `dp-agent log export`")
    if not rows:
        sys.exit(f"{path} has no rows")
    missing = [name for name in columns if not isinstance(rows[0], dict) or name not in rows[0]]
    if missing:
        sys.exit(f"{path} is no table of {what} (it has no column {', '.join(missing)}): make it with "
                 f"`dp-agent log export LOG --table {what}`")
    return rows


def main(paths):
    if not paths:
        sys.exit(__doc__)
    decisions = asked_for(paths[0], "decisions", ["source", "by", "actions", "error", "exp", "tokens_prompt", "cost"])
    agents = {row["agent"] for row in decisions}
    # Sessions that begin in the same second have the same name.
    sessions = {(row["agent"], row["session"]) for row in decisions}
    print(f"{len(decisions)} decisions of {len(agents)} agents in {len(sessions)} sessions")
    show("Reward by who decided", *by_source(decisions))
    show("What the agents' own doing earned", *best_policies(decisions))
    show("What models cost", *cost(decisions))
    show("Commentary against what happened", *calibration(decisions))
    if len(paths) > 1:
        show("Sessions, and the sums of their rows", *episodes(asked_for(paths[1], "episodes", ["valence", "exp", "cost", "duration_s"]), decisions))


if __name__ == "__main__":
    main(sys.argv[1:])
