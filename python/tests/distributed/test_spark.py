"""`fnb.spark`: fitted as the ordinary training fits, scored as the ordinary model scores."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.ml import Pipeline, PipelineModel, Transformer
from pyspark.ml.evaluation import Evaluator
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

import fnb
from fnb.distributed._score import packed
from fnb.spark import FNBClassificationModel, FNBClassifier
from fnb.spark.classifier import _task

from .local import local_model, table

# Workers do not have the tests: their functions are sent along.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

ON_SPARK = bool(os.environ.get("FNB_TEST_REMOTE"))
sail_only = pytest.mark.skipif(ON_SPARK, reason="trainings only: on Sail, whose rounds are short")


def rows_of(count: int, classes: int = 2, seed: int = 0) -> pa.Table:
    """Rows of every kind of column, of which no single one tells all about the class."""
    rows = table(count, classes, seed)
    random = np.random.default_rng(seed + 1)
    day = np.datetime64("2020-01-01") + random.integers(0, 400, count)
    late = np.array([int(label.split()[1]) for label in rows.column("y").to_pylist()])
    moment = (day + 30 * late).astype("datetime64[us]") + random.integers(0, 86_400_000_000, count)
    single = (4 * random.random(count) + late).astype(np.float32)
    rows = replaced(rows, "single", pa.array(single))
    return (
        replaced(rows, "day", pa.array((day + 20 * late).astype("datetime64[D]")))
        .append_column("moment", pa.array(moment, pa.timestamp("us", "UTC")))
        .drop_columns(["integers"])
    )


def local(rows: pa.Table, **settings: Any) -> fnb.Model:
    """Learnt in this process, without the weights."""
    return fnb.Model.from_json(local_model(rows.drop_columns(["fractions"]), **settings))


def scored(model: FNBClassificationModel, frame: Any) -> pa.Table:
    """The rows in the order of their numbers."""
    found = model.transform(frame).toArrow()
    number = [int(text.split()[1]) for text in found.column("id").to_pylist()]
    return found.take(np.argsort(number))


def same_scores(found: pa.Table, model: fnb.Model, rows: pa.Table) -> None:
    """Bit for bit."""
    expected = model.predict_proba(rows)
    assert found.num_rows == rows.num_rows
    assert found.column("prediction").to_pylist() == model.predict(rows).tolist()
    probability = np.array(found.column("probability").to_pylist())
    assert probability.tobytes() == expected.tobytes()
    assert len(np.unique(expected)) > 2


@pytest.mark.parametrize("classes", [2] if ON_SPARK else [2, 20])
def test_learnt_on_the_engine_and_scored_anywhere(session: Any, classes: int) -> None:
    rows = rows_of(600, classes).drop_columns(["fractions"])
    frame = session.createDataFrame(rows).repartition(3)
    model = FNBClassifier(labelCol="y", shards=2, interactions="none").fit(frame)
    assert isinstance(model, FNBClassificationModel)
    assert model.model.to_json() == local_model(rows, interactions="none")
    assert len(model.model.variables) > 1
    found = scored(model, frame)
    assert found.column_names == [*rows.column_names, "prediction", "probability"]
    assert found.schema.field("prediction").type == pa.string()
    assert found.schema.field("probability").type.value_type == pa.float64()
    same_scores(found, model.model, rows)


@pytest.mark.parametrize("classes", [2, 20])
def test_learnt_on_a_laptop_and_scored_on_the_engine(session: Any, classes: int) -> None:
    """Rows that the training has not seen: new categories, dates, missing values."""
    model = local(rows_of(600, classes))
    rows = rows_of(300, classes, seed=7)
    columns = {
        "word": pa.array(["never seen", None, "ü"] * 100),
        "near": pa.array([float("nan"), None, 1e300] * 100),
        "day": pa.array([datetime.date(1900, 1, 1), None, datetime.date(2300, 1, 1)] * 100),
        "flag": pa.nulls(300, pa.bool_()),
    }
    for part in (rows, *(replaced(rows, name, column) for name, column in columns.items())):
        found = scored(FNBClassificationModel.from_model(model), session.createDataFrame(part))
        same_scores(found, model, part)


def replaced(rows: pa.Table, name: str, column: pa.Array) -> pa.Table:
    return rows.set_column(rows.schema.get_field_index(name), name, column)


def test_a_model_of_the_estimator_of_scikit_learn(session: Any) -> None:
    pytest.importorskip("sklearn")
    rows = rows_of(400)
    X = rows.drop_columns(["y", "fractions"])
    model = fnb.FNBClassifier().fit(X, rows.column("y").to_pylist()).model_
    found = scored(FNBClassificationModel.from_model(model), session.createDataFrame(rows))
    same_scores(found, model, X)


@pytest.mark.parametrize("most", [1, 5])
@pytest.mark.parametrize("classes", [2, 20])
def test_reasons_are_those_of_the_model(session: Any, classes: int, most: int) -> None:
    model = local(rows_of(600, classes))
    rows = rows_of(200, classes, seed=3)
    scorer = FNBClassificationModel.from_model(model, reasonsCol="why", numReasons=most)
    found = scored(scorer, session.createDataFrame(rows).repartition(2)).column("why").to_pylist()
    explained = model.explain(rows, most)
    # A dict of lists without pandas.
    expected: list[list[dict[str, Any]]] = [[] for _ in range(rows.num_rows)]
    columns = (list(explained[name]) for name in ("row", "variable", "part", "contribution"))
    for row, variable, part, contribution in zip(*columns, strict=True):
        term = {"variable": variable, "part": part, "contribution": contribution}
        expected[row].append(term)
    assert found == expected
    assert max(map(len, found)) == min(most, len(model._content["terms"]))


@sail_only
def test_weights_and_settings_reach_the_training(session: Any) -> None:
    rows = rows_of(300, 3)
    classifier = FNBClassifier(
        labelCol="y",
        weightCol="fractions",
        maxSelected=2,
        interactions="none",
        classWeight={"class 1": 2.5},
        featureTypes={"whole": "categorical"},
        regularization=0.5,
    )
    model = classifier.fit(session.createDataFrame(rows)).model
    settings: dict[str, Any] = {"max_selected": 2, "interactions": "none", "lambda": 0.5}
    assert model.to_json() == local_model(
        rows,
        weight="fractions",
        class_weight=[("class 1", 2.5)],
        types=[("whole", "categorical")],
        **settings,
    )


@sail_only
def test_dates_are_constructed_by_rules(session: Any) -> None:
    rows = rows_of(300).select(["y", "day", "near"])
    frame = session.createDataFrame(rows)
    for rules in ("date", ["date"], ["WeekDay", "YearDay"]):
        model = FNBClassifier(labelCol="y", rules=rules, nFeatures=10).fit(frame).model
        text = rules if isinstance(rules, str) else ",".join(rules)
        assert model.to_json() == local_model(rows, rules=text, features=10)


def test_the_order_of_columns_and_others_do_not_matter(session: Any) -> None:
    rows = rows_of(400)
    frame = session.createDataFrame(rows)
    classifier = FNBClassifier(labelCol="y", featuresCols=["word", "near", "day"])
    model = classifier.fit(frame)
    chosen = [name for name in rows.column_names if name in {"y", "word", "near", "day"}]
    assert model.model.to_json() == local_model(rows.select(chosen))
    # With arrays and maps among the others.
    other = frame.selectExpr(
        "array(id, 'x') AS list", "*", "map('k', whole) AS map", "named_struct('a', day) AS struct"
    )
    other = other.select(*reversed(other.columns))
    found = scored(model, other)
    same_scores(found, model.model, rows)
    assert found.column_names == [*other.columns, "prediction", "probability"]
    assert found.column("list").to_pylist()[3] == ["row 3", "x"]
    assert [value["a"] for value in found.column("struct").to_pylist()] == rows["day"].to_pylist()
    assert found.column("moment").to_pylist() == rows["moment"].to_pylist()
    without = model.transform(frame.drop("y", "whole"))
    assert without.columns[-2:] == ["prediction", "probability"] and "y" not in without.columns


EVERY_TYPE = """
SELECT 'a' AS text, cast('a' AS varchar(3)) AS short_text, date'2020-02-29' AS day,
    timestamp'2020-02-29 10:00:00' AS moment, timestamp_ntz'2020-02-29 10:00:00' AS clock,
    cast(1.5 AS decimal(10, 2)) AS price, true AS flag, 1Y AS tiny, 1S AS small, 1 AS int,
    1L AS big, cast(1 AS float) AS single, 1d AS double, X'01' AS bytes, interval 1 day AS length,
    array(array('b')) AS nested, map('k', 1L) AS map, named_struct('s', 's') AS struct,
    cast(null AS string) AS missing, null AS nothing, near
"""


def test_columns_come_back_as_they_are(session: Any, tmp_path: pathlib.Path) -> None:
    rows = rows_of(50).select(["y", "near"])
    model = FNBClassificationModel.from_model(fnb.Model.from_json(local_model(rows_small())))
    session.createDataFrame(rows).createOrReplaceTempView("few")
    query = session.sql(f"{EVERY_TYPE} FROM few")
    query.drop("nothing").coalesce(1).write.parquet(str(tmp_path / "rows"))
    # Of files, Sail may send texts as views.
    for frame in (query, session.read.parquet(str(tmp_path / "rows"))):
        added = model.transform(frame)
        assert added.schema.fields[: len(frame.columns)] == frame.schema.fields
        given, found = frame.toArrow(), added.toArrow()
        assert found.select(frame.columns).to_pylist() == given.to_pylist()
        same_scores(found, model.model, rows)


def rows_small() -> pa.Table:
    return rows_of(400).select(["y", "near"])


def test_names_of_any_kind(session: Any) -> None:
    names = ["a.b", "two words", "q\"u`o'te", "été ü 漢", "c0", "prediction of", "a,b;{}()=\t"]
    rows = rows_of(300)
    kept = ["near", "word", "single", "day", "other", "half", "flag"]
    rows = rows.select(["id", "y", *kept]).rename_columns(["id", "the label.", *names])
    frame = session.createDataFrame(rows)
    classifier = FNBClassifier(
        labelCol="the label.", featuresCols=names, predictionCol="p.q `r`", probabilityCol="p r"
    )
    model = classifier.fit(frame)
    found = scored(model, frame)
    assert found.column_names == [*rows.column_names, "p.q `r`", "p r"]
    assert found.column("p.q `r`").to_pylist() == model.model.predict(rows).tolist()
    probability = np.array(found.column("p r").to_pylist())
    assert np.array_equal(probability, model.model.predict_proba(rows))


def test_rows_that_are_not_there(session: Any) -> None:
    rows = rows_of(200)
    model = FNBClassificationModel.from_model(local(rows), reasonsCol="why")
    found = model.transform(session.createDataFrame(rows).where("near > 1e9")).toArrow()
    assert found.num_rows == 0
    assert found.column_names[-3:] == ["prediction", "probability", "why"]


def test_a_model_without_variables(session: Any) -> None:
    """Every row has the shares of the classes, and no reasons."""
    rows = pa.table({"y": ["a", "b", "b"] * 20, "same": ["x"] * 60})
    frame = session.createDataFrame(rows)
    model = FNBClassifier(labelCol="y", reasonsCol="why").fit(frame)
    assert model.model.variables == []
    found = model.transform(frame).toArrow()
    assert found.column("prediction").to_pylist() == ["b"] * 60
    assert found.column("why").to_pylist() == [[]] * 60


def test_transform_is_lazy(session: Any) -> None:
    """A row that cannot be computed does not show before rows are asked for."""
    model = FNBClassificationModel.from_model(fnb.Model.from_json(local_model(rows_small())))
    wrong = session.sql("SELECT raise_error('read') AS x, 1.0D AS near")
    added = model.transform(wrong)
    assert added.columns == ["x", "near", "prediction", "probability"]
    with pytest.raises(Exception, match="read"):
        added.toArrow()


def test_parameters_in_the_manner_of_pyspark() -> None:
    classifier = FNBClassifier(maxSelected=3, featureTypes={"a": "categorical"})
    assert classifier.getMaxSelected() == 3 and classifier.getLabelCol() == "label"
    assert classifier.isSet("maxSelected") and not classifier.isSet("labelCol")
    explained = classifier.explainParams()
    line = "maxSelected: number of variables of the model, at most. (default: None, current: 3)"
    assert line in explained
    assert len(explained.splitlines()) == len(classifier.params) == 24
    for param in classifier.params:
        capital = param.name[0].upper() + param.name[1:]
        value = getattr(classifier, f"get{capital}")()
        assert getattr(classifier, f"set{capital}")(value) is classifier
        assert getattr(classifier, f"get{capital}")() == value
    assert classifier.setParams(seed=4, interactions=2).getInteractions() == 2
    copied = classifier.copy({classifier.maxSelected: 7})
    assert (copied.getMaxSelected(), classifier.getMaxSelected()) == (7, 3)
    assert copied.uid == classifier.uid and copied.getSeed() == 4
    grid = ParamGridBuilder().addGrid(classifier.maxSelected, [1, 2]).build()
    assert [classifier.copy(extra).getMaxSelected() for extra in grid] == [1, 2]
    with pytest.raises(TypeError, match="unexpected keyword argument 'maxselected'"):
        FNBClassifier(maxselected=3)
    with pytest.raises(TypeError, match="no parameter 'maxselected'; did you mean 'maxSelected'"):
        classifier.setParams(maxselected=3)
    with pytest.raises(TypeError, match="featuresCols"):
        FNBClassifier(featuresCols="near")
    with pytest.raises(TypeError, match="featureTypes"):
        FNBClassifier(featureTypes=["near"])
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="at least 1"):
            FNBClassifier(maxSelected=wrong)


@sail_only
def test_parameters_of_the_estimator_are_given_to_its_models(session: Any) -> None:
    rows = rows_of(300)
    frame = session.createDataFrame(rows)
    classifier = FNBClassifier(
        labelCol="y", predictionCol="guess", featuresCols=["near", "word"], interactions="none"
    )
    model = classifier.fit(frame)
    assert model.getPredictionCol() == "guess" and model.uid == classifier.uid
    added = model.transform(frame, {classifier.reasonsCol: "why", classifier.probabilityCol: ""})
    assert added.columns[len(rows.column_names) :] == ["guess", "why"]
    assert model.transform(frame).columns[len(rows.column_names) :] == ["guess", "probability"]
    one, two = classifier.fit(frame, [{classifier.maxSelected: n} for n in (1, 2)])
    assert [len(one.model.variables), len(two.model.variables)] == [1, 2]
    for nothing in ("", None):
        model.setParams(predictionCol="", probabilityCol="", reasonsCol=nothing)
        assert model.transform(frame).columns == rows.column_names


def test_saved_and_loaded(session: Any, tmp_path: pathlib.Path) -> None:
    rows = rows_of(300)
    frame = session.createDataFrame(rows)
    classifier = FNBClassifier(
        labelCol="y",
        featuresCols=["near", "word", "day"],
        weightCol=None,
        reasonsCol="why",
        featureTypes={"near": "numerical"},
        classWeight={"class 1": 2},
    )
    path = str(tmp_path / "estimator")
    classifier.save(path)
    again = FNBClassifier.load(path)
    assert again.uid == classifier.uid
    assert again.explainParams() == classifier.explainParams()
    model = classifier.fit(frame)
    model.save(tmp_path / "model")
    loaded = FNBClassificationModel.load(tmp_path / "model")
    assert loaded.uid == model.uid and loaded.getReasonsCol() == "why"
    assert loaded.model.to_json() == model.model.to_json()
    same_scores(scored(loaded, frame), model.model, rows)
    # The model is the ordinary file.
    (file,) = (tmp_path / "model" / "model").glob("*.txt")
    assert fnb.load_model(file).to_json() == model.model.to_json()
    with pytest.raises(Exception, match=r"(?i)exist"):
        model.save(tmp_path / "model")
    other = FNBClassificationModel.from_model(fnb.Model.from_json(local_model(rows_small())))
    other.write().overwrite().session(session).save(path)
    assert FNBClassificationModel.load(path).model.to_json() == other.model.to_json()
    with pytest.raises(ValueError, match=r"holds a fnb\.spark\.classifier\.FNBClassificationModel"):
        FNBClassifier.load(path)


class Positive(Transformer):
    """A stage of others, that runs without Java."""

    def _transform(self, dataset: Any) -> Any:
        return dataset.where("whole > 2")


def test_pipeline(session: Any, tmp_path: pathlib.Path) -> None:
    rows = rows_of(300).drop_columns(["fractions"])
    frame = session.createDataFrame(rows)
    classifier = FNBClassifier(labelCol="y")
    fitted = Pipeline(stages=[Positive(), classifier]).fit(frame)
    kept = rows.filter(pa.compute.greater(rows["whole"], 2))
    model = fitted.stages[1]
    assert model.model.to_json() == local_model(kept)
    found = fitted.transform(frame).toArrow()
    assert found.num_rows == kept.num_rows
    assert fitted.transform(frame, {classifier.predictionCol: "p"}).columns[-2:] == [
        "p",
        "probability",
    ]
    path = str(tmp_path / "pipeline")
    PipelineModel([model]).write().session(session).save(path)
    (loaded,) = PipelineModel.load(path).stages
    assert loaded.model.to_json() == model.model.to_json()
    path = str(tmp_path / "unfitted")
    Pipeline(stages=[classifier]).save(path)
    assert Pipeline.load(path).getStages()[0].getLabelCol() == "y"


class Hits(Evaluator):
    """Accuracy, without Java."""

    def _evaluate(self, dataset: Any) -> float:
        found = dataset.select("y", "prediction").toArrow()
        return float(np.mean(pa.compute.equal(found["y"], found["prediction"])))


@sail_only
def test_cross_validation(session: Any) -> None:
    frame = session.createDataFrame(rows_of(200))
    classifier = FNBClassifier(
        labelCol="y", featuresCols=["near", "word", "moment"], interactions="none"
    )
    grid = ParamGridBuilder().addGrid(classifier.maxSelected, [1, 3]).build()
    search = CrossValidator(
        estimator=classifier, estimatorParamMaps=grid, evaluator=Hits(), numFolds=2, parallelism=2
    )
    fitted = search.fit(frame)
    assert len(fitted.avgMetrics) == 2 and all(0.4 < hits <= 1 for hits in fitted.avgMetrics)
    assert isinstance(fitted.bestModel, FNBClassificationModel)


def test_bad_input_of_fit(session: Any) -> None:
    frame = session.createDataFrame(rows_of(60))
    with pytest.raises(ValueError, match=r"^labelCol names 'label', which is no column of the ta"):
        FNBClassifier().fit(frame)
    with pytest.raises(ValueError, match=r"weightCol names 'fraction'.*did you mean 'fractions'"):
        FNBClassifier(labelCol="y", weightCol="fraction").fit(frame)
    with pytest.raises(ValueError, match=r"featuresCols names 'neer'.*did you mean 'near'"):
        FNBClassifier(labelCol="y", featuresCols=["neer", "word"]).fit(frame)
    with pytest.raises(ValueError, match="featureTypes names 'word'"):
        FNBClassifier(
            labelCol="y", featuresCols=["near"], featureTypes={"word": "categorical"}
        ).fit(frame)
    with pytest.raises(TypeError, match=r"a DataFrame of Spark or Sail is needed. Got Table inst"):
        FNBClassifier(labelCol="y").fit(rows_of(60))
    with pytest.raises(TypeError, match=r"'pair' holds nested values of type list.* leave it out"):
        FNBClassifier(labelCol="y").fit(frame.selectExpr("*", "array(1, 2) AS pair"))
    with pytest.raises(ValueError, match="preset must be one of"):
        FNBClassifier(labelCol="y", preset="best").fit(frame)


def test_bad_input_of_transform(session: Any) -> None:
    rows = rows_of(400)
    model = FNBClassificationModel.from_model(local(rows))
    frame = session.createDataFrame(rows)
    absent = frame.withColumnRenamed("near", "neer").drop("word")
    with pytest.raises(ValueError, match=r"^the model needs '.*', which the table lacks; "):
        model.transform(absent)
    with pytest.raises(ValueError, match="predictionCol is 'id', which the table or another para"):
        model.copy({model.predictionCol: "id"}).transform(frame)
    with pytest.raises(ValueError, match="predictionCol is 'ID'"):
        model.copy({model.predictionCol: "ID"}).transform(frame)
    with pytest.raises(ValueError, match="probabilityCol is 'prediction'"):
        model.copy({model.probabilityCol: "prediction"}).transform(frame)
    with pytest.raises(ValueError, match="column 'age' is of type interval year"):
        model.transform(frame.selectExpr("*", "interval '1' year AS age"))
    dated = local(table(400).select(["y", "day", "fractions"]))
    with pytest.raises(TypeError, match=r'"day" .* cannot be read as dates'):
        FNBClassificationModel.from_model(dated).transform(frame.withColumn("day", frame["whole"]))
    near = FNBClassificationModel.from_model(fnb.Model.from_json(local_model(rows_small())))
    with pytest.raises(ValueError, match="the table has several columns 'near'; rename all but"):
        near.transform(frame.select("*", frame["near"]))
    with pytest.raises(TypeError, match=r"Got Table instead; fnb.FNBClassifier takes tables of"):
        model.transform(rows)
    with pytest.raises(TypeError, match=r"the model_ of an fnb.FNBClassifier"):
        FNBClassificationModel.from_model("model.json")


def test_models_of_several_tables_are_refused(session: Any) -> None:
    pytest.importorskip("sklearn")
    count = np.arange(200) % 5
    people = pa.table({"person": np.arange(200)})
    orders = pa.table({"person": np.repeat(np.arange(200), count)})
    around = [fnb.Table("orders", orders, on="person")]
    clf = fnb.FNBClassifier(tables=around).fit(people, np.where(count < 2, "yes", "no"))
    model = FNBClassificationModel.from_model(clf.model_)
    with pytest.raises(ValueError, match="needs the tables 'orders' besides the DataFrame"):
        model.transform(session.createDataFrame(people))


def test_workers_without_the_package() -> None:
    """The task holds nothing of fnb, and says what is missing."""
    model = fnb.Model.from_json(local_model(rows_small()))
    task = _task(packed(model), [0], pa.schema([("near", pa.float64())]), ["prediction"], 5)
    script = (
        "import pickle, sys; sys.modules['fnb'] = None; task = pickle.load(sys.stdin.buffer)\n"
        "try: list(task(iter([])))\n"
        "except ModuleNotFoundError as error: print(error)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script],
        input=cloudpickle.dumps(task),
        capture_output=True,
        check=True,
    )
    assert ended.stdout.startswith(b"the workers have no Python package 'fnb'; install what the")


def test_a_model_is_read_once_per_process() -> None:
    from fnb.distributed import _score

    model = packed(fnb.Model.from_json(local_model(rows_small())))
    assert _score._unpacked(model) is _score._unpacked(pickle.loads(pickle.dumps(model)))
    assert len(model) < len(json.dumps(_score._unpacked(model).to_json())) / 2


def test_large_batches_are_cut() -> None:
    from fnb.distributed import _score

    model = fnb.Model.from_json(local_model(rows_small()))
    near = np.random.default_rng(0).normal(size=3 * _score._ROWS + 1)
    batch = pa.record_batch({"near": near})
    batches = list(
        _score.score(iter([batch]), packed(model), [0], batch.schema, ["probability"], 5)
    )
    assert [part.num_rows for part in batches] == [_score._ROWS] * 3 + [1]
    found = pa.Table.from_batches(batches).column("probability").to_pylist()
    assert np.array_equal(np.array(found), model.predict_proba(batch))
