#!/usr/bin/env python3
"""checkanswers.py SCHEMA: checks the answers on standard input, an array of {"row", "definition", "answer"}, and prints a line for each that is not as
the definition of the schema says. Of an answer with "refused": true it is the other way round."""
import json
import sys

from jsonschema import Draft202012Validator


def deepest(error):
    """Of the branches of an anyOf the one that came farthest."""
    while error.context:
        error = max(error.context, key=lambda inner: len(inner.absolute_path))
    return error


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    for case in json.load(sys.stdin):
        wanted = {"$ref": "#/$defs/" + case["definition"], "$defs": schema["$defs"]}
        problem = next(Draft202012Validator(wanted).iter_errors(case["answer"]), None)
        if case.get("refused"):
            if problem is None:
                print(f'{case["row"]}: is taken')
        elif problem is not None:
            problem = deepest(problem)
            print(f'{case["row"]}: {"/".join(map(str, problem.absolute_path))}: {problem.message[:300]}')


main()
