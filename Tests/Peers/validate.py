#!/usr/bin/env python3
"""Judges values by a JSON Schema, with jsonschema-rs.

usage: validate.py SCHEMA VALUES REPORT

SCHEMA and VALUES are files of JSON, VALUES an array. The file REPORT becomes an array as long, of what is wrong with each value: lists of
words, which are empty for values that are valid. Formats are judged, too.
"""
import itertools
import json
import sys

import jsonschema_rs

schema, values = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
validator = jsonschema_rs.validator_for(schema, validate_formats=True, mask="it")
report = [
    ["/".join(map(str, error.instance_path)) + f": {error.message}" for error in itertools.islice(errors, 5)]
    for errors in map(validator.iter_errors, values)
]
json.dump(report, open(sys.argv[3], "w", encoding="utf-8"))
