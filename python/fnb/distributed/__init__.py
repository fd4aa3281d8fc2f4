"""Training and scoring where the rows are: on Apache Spark or Sail, which speaks its protocol."""
