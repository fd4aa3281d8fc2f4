"""Types of columns: of Spark to Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

# By the name that Spark gives the class. Its own conversion is not public and changes its signature
# with minor versions; an empty result would tell, at the price of a job.
_PLAIN = {
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "char": pa.string(),
    "date": pa.date32(),
    "daytimeinterval": pa.duration("us"),
    "double": pa.float64(),
    "float": pa.float32(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "null": pa.null(),
    "short": pa.int16(),
    "string": pa.string(),
    "time": pa.time64("ns"),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestampntz": pa.timestamp("us"),
    "varchar": pa.string(),
    "void": pa.null(),
}


def arrow_schema(struct: Any) -> pa.Schema:
    """The schema of a frame of Spark."""
    return pa.schema([_field(field.name, field.dataType, field.nullable) for field in struct])


def _field(name: str, spark: Any, nullable: bool) -> pa.Field:
    return pa.field(name, _arrow(spark), nullable)


def _arrow(spark: Any) -> pa.DataType:
    # Not typeName(): that of intervals names their fields.
    name = type(spark).__name__.removesuffix("Type").lower()
    if name == "decimal":
        return pa.decimal128(spark.precision, spark.scale)
    if name == "array":
        return pa.list_(_field("element", spark.elementType, spark.containsNull))
    if name == "map":
        key = _field("key", spark.keyType, False)
        return pa.map_(key, _field("value", spark.valueType, spark.valueContainsNull))
    if name == "struct":
        return pa.struct([_field(child.name, child.dataType, child.nullable) for child in spark])
    plain = _PLAIN.get(name)
    return pa.opaque(pa.null(), spark.simpleString(), "spark") if plain is None else plain


def readable(schema: pa.Schema) -> pa.Schema:
    """The schema, if Arrow has all its types."""
    for field in schema:
        if isinstance(field.type, pa.OpaqueType):
            raise ValueError(
                f"column {field.name!r} is of type {field.type.type_name}, which cannot be read; "
                "leave it out, or cast it in a query"
            )
    return schema
