"""results.json and the tables of results.txt."""
import json

COPY = "copy/256MiB"  # what memory-bound cases are held against


def table(rows):
    """Columns as wide as they must be; the first row is the head."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows]


def first_line(text):
    return (text or "").strip().splitlines()[0] if (text or "").strip() else ""


def parts_table(results):
    rows = [("device", "part", "result", "seconds", "")]
    for device in results["devices"]:
        for part in device["parts"]:
            rows.append((device["name"], part["name"], part["status"], f"{part['seconds']:.0f}",
                         first_line(part["detail"])))
    return table(rows)


def figure(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def benchmarks_table(device):
    copied = next((row["value"] for case in device["benchmarks"] if case["case"] == COPY for row in case["rows"]
                   if row["who"] == "tegula"), None)
    rows = [("case", "who", "ms", "rate", "unit", "ours/its", "of copy", "max error", "")]
    for case in device["benchmarks"]:
        for row in case["rows"]:
            rate = figure(row["value"], 1 if row["unit"] == "GB/s" or (row["value"] or 0) > 10 else 3)
            is_memory = row["unit"] == "GB/s" and row["value"] is not None and copied
            rows.append((case["case"], row["who"], figure(row["ms"], 4), rate, row["unit"] or "-",
                         figure(row["ratio"], 3), f"{row['value'] / copied:.3f}" if is_memory else "-",
                         "-" if row["max_error"] is None else f"{row['max_error']:.2g}",
                         first_line(row["error"] or row["left_out"])))
    return table(rows)


def goals_table(device):
    rows = [("goal", "ours", "before", "ours/before", "each turn")]
    for row in device["goals"]:
        turns = " ".join(f"{mine / its:.3f}" for mine, its in row["turns"])
        rows.append((row["goal"], figure(row["ours"], 3), figure(row["before"], 3), figure(row["ratio"], 3), turns))
    return table(rows)


def text_of(results):
    """(text, whether all is right)"""
    peers = results["peers"]
    lines = [f"{key}: {value}" for key, value in results["host"].items() if value]
    lines += [f"package: {results['package']}", f"started: {results['started']}"]
    lines.append("peers: " + (", ".join(f"{k} {v}" for k, v in peers.items()) if isinstance(peers, dict) else peers))
    lines += [f"no device of {backend}: {reason}" for backend, reason in results["absent"].items()]
    lines += ["", *parts_table(results)]
    for device in results["devices"]:
        for part in device["parts"]:
            if part["name"].endswith("_bench") and part["status"] == "passed":
                lines += ["", f"{part['name']} on {part['detail']}"]
        if device["benchmarks"]:
            lines += ["", f"{device['name']}: {device['description']}", *benchmarks_table(device)]
        if device["goals"]:
            lines += ["", f"goals on {device['name']}, ratios to a peer", *goals_table(device)]
    every = [part for device in results["devices"] for part in device["parts"]]
    count = {status: sum(part["status"] == status for part in every) for status in ("passed", "failed", "left out")}
    lines += ["", ", ".join(f"{n} {status}" for status, n in count.items())]
    return "\n".join(lines) + "\n", count["failed"] == 0 and count["passed"] > 0


def write(out, results):
    text, good = text_of(results)
    (out / "results.json").write_text(json.dumps({**results, "good": good}, indent=1) + "\n", encoding="utf-8")
    (out / "results.txt").write_text(text, encoding="utf-8")
    return text, good
