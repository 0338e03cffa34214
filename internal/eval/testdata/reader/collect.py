"""Writes what was answered through endpoint.py as recorded answers.

    python3 collect.py DIR > answers.jsonl
"""

import json
import pathlib
import sys

found = {}
for question in pathlib.Path(sys.argv[1]).glob("*.question.txt"):
    answer = question.with_name(question.name.replace(".question.txt", ".answer.json"))
    if not answer.exists():
        sys.exit(f"nobody has answered {question}")
    text = question.read_text(encoding="utf-8")
    talk = text.split("\n\n--- the answer so far")[0].split("\n")
    said = tuple(json.loads(line)["text"] for line in talk if line.startswith('{"by"'))
    try:
        value = json.loads(answer.read_text(encoding="utf-8"))
    except ValueError:
        value = answer.read_text(encoding="utf-8")  # which the planner sends back
    found.setdefault(said, {})[text.count("--- what is wrong with it")] = value

for said, answers in sorted(found.items()):
    line = {"said": said, "answers": [answers[i] for i in sorted(answers)]}
    print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
