package dev.berth.cli.command.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.text.TerminalWidth;
import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

class ModelsCommandTest {

    private static final String ALL = "GET /api/models";
    private static final String MACE = "/api/models/mace";

    @TempDir private Path root;
    private CliFixture fixture;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static Map<String, Object> model(String name, Object... workers) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("worker", "python3 " + name + ".py");
        fields.put("memory_mb", 6000);
        fields.put("prewarm", false);
        fields.put("env", List.of());
        fields.put("work_dir", "/models");
        fields.put("idle_seconds", 3600);
        fields.put("configured", false);
        fields.put("set_aside", null);
        fields.put("hits", 0);
        fields.put("misses", 0);
        fields.put("evictions", 0);
        fields.put("load_seconds", null);
        fields.put("workers", List.of(workers));
        return fields;
    }

    private Map<String, Object> worker(int gpu, long task, String status) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("model", "mace");
        fields.put("gpu_id", gpu);
        fields.put("task_id", task);
        fields.put("pid", status.equals("loading") ? null : 4000 + task);
        fields.put("status", status);
        fields.put("current_task_id", status.equals("busy") ? 31 : null);
        fields.put("memory_mb", 6000);
        fields.put("since", ago(7200));
        fields.put("last_used", ago(90));
        fields.put("last_heartbeat", ago(2));
        return fields;
    }

    private String ago(long seconds) {
        return fixture.clock().now().minusSeconds(seconds).toString();
    }

    private static Map<String, Object> with(Map<String, Object> model, Object... pairs) {
        for (int at = 0; at < pairs.length; at += 2) {
            model.put((String) pairs[at], pairs[at + 1]);
        }
        return model;
    }

    /** The server replies with this to the request. */
    private void reply(String line, Object value) {
        fixture.server().on(line, JsonWriter.write(value));
    }

    @Test
    void theTableShowsWhereEachModelIsLoadedAndWhyOneIsSetAside() {
        reply(
                ALL,
                List.of(
                        with(model("chgnet"), "set_aside", "exit code 3\u001b[2J", "misses", 3),
                        with(
                                model("mace", worker(0, 12, "idle"), worker(1, 14, "busy")),
                                "hits",
                                240,
                                "misses",
                                2,
                                "evictions",
                                1,
                                "load_seconds",
                                3.14,
                                "idle_seconds",
                                600),
                        with(model("slow", worker(2, 15, "loading")), "load_seconds", 131.6)));
        assertThat(fixture.run("models"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                NAME    LOADED ON        MEMORY  IDLE TIME  HITS  MISSES  EVICTED  LOAD TIME
                                chgnet                  6000 MB         1h             3
                                  set aside: exit code 3\\e[2J
                                mace    0 idle, 1 busy  6000 MB        10m   240       2        1       3.1s
                                slow    2 loading       6000 MB         1h                            2m 12s
                                """,
                                ""));
    }

    @Test
    void aNarrowTerminalShowsLess() {
        fixture.setTerminal(40);
        fixture.env().put("NO_COLOR", "1");
        reply(ALL, List.of(with(model("mace", worker(0, 12, "idle")), "hits", 1, "misses", 1)));
        assertThat(fixture.run("models").out().lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(TerminalWidth.width(line)).isLessThanOrEqualTo(40));
    }

    @Test
    void withoutModelsItSaysHowToAddOne() {
        reply(ALL, List.of());
        assertThat(fixture.run("models").out())
                .isEqualTo("No model has workers. `berth models add NAME --worker CMD`\n");
    }

    @Test
    void oneModelShowsItsWorkersAndTheirLogs() {
        Map<String, Object> mace =
                with(
                        model("mace", worker(0, 12, "idle"), worker(1, 14, "busy")),
                        "hits",
                        5,
                        "load_seconds",
                        3.0,
                        "prewarm",
                        true,
                        "configured",
                        true,
                        "env",
                        List.of("A", "B"));
        reply("GET " + MACE, mace);
        String text =
                """
                Model mace
                  worker      python3 mace.py
                  directory   /models
                  environment A B
                  memory      6000 MB
                  prewarm     loaded when the server starts
                  idle time   1h
                  configured  in the configuration, change it there
                  hits        5
                  misses      0
                  evicted     0
                  load time   3.0s

                GPU  STATE  RUNS      PID   MEMORY  AGE  LAST USED  HEARTBEAT  LOG
                  0  idle            4012  6000 MB   2h         1m         2s  berth logs 12
                  1  busy   task 31  4014  6000 MB   2h         1m         2s  berth logs 14
                """;
        assertThat(fixture.run("models", "mace")).isEqualTo(new Result(0, text, ""));
        assertThat(fixture.run("models", "show", "mace").out()).isEqualTo(text);
    }

    @Test
    void aModelThatIsNotLoadedSaysSoAndWhyNot() {
        reply("GET " + MACE, with(model("mace"), "set_aside", "exit code 3"));
        assertThat(fixture.run("models", "mace").out())
                .startsWith("Model mace\n  set aside   exit code 3\n")
                .endsWith("  loaded      no\n");
    }

    @Test
    void addSendsTheWholeModel() throws Exception {
        reply("PUT " + MACE, model("mace"));
        fixture.env().put("TOKEN", "s3cret");
        Result result =
                fixture.run(
                        "models",
                        "add",
                        "mace",
                        "--worker",
                        "python3 w.py --big",
                        "--memory",
                        "6g",
                        "--prewarm",
                        "--env",
                        "A=1",
                        "-e",
                        "TOKEN",
                        "--work-dir",
                        "../m",
                        "--idle",
                        "10m");
        assertThat(result).isEqualTo(new Result(0, "mace saved\n", ""));
        assertThat(JsonParser.parse(fixture.server().received().getLast().body()))
                .isEqualTo(
                        Map.of(
                                "worker",
                                "python3 w.py --big",
                                "memory_mb",
                                new JsonParser.JsonNumber("6144"),
                                "prewarm",
                                true,
                                "env",
                                Map.of("A", "1", "TOKEN", "s3cret"),
                                "work_dir",
                                root.resolve("m").toString(),
                                "idle_seconds",
                                new JsonParser.JsonNumber("600")));
    }

    @Test
    void addNeedsOnlyAWorkerAndTakesTheCurrentDirectory() throws Exception {
        reply("PUT " + MACE, model("mace"));
        fixture.run("models", "add", "mace", "--worker", "w");
        assertThat(JsonParser.parse(fixture.server().received().getLast().body()))
                .isEqualTo(Map.of("worker", "w", "work_dir", fixture.cwd().toString()));
    }

    @ParameterizedTest
    @CsvSource({
        "--memory=6.0001G, 6145",
        "--memory=500M, 500",
        "--memory=6, 6144",
        "--memory-mb=6000, 6000"
    })
    void memoryIsSentInMegabytesRoundedUp(String option, String sent) {
        reply("PUT " + MACE, model("mace"));
        fixture.run("models", "add", "mace", "--worker", "w", option);
        assertThat(fixture.server().received().getLast().body())
                .contains("\"memory_mb\":" + sent + ",");
    }

    @Test
    void removeLoadAndUnload() {
        reply("DELETE " + MACE, model("mace"));
        reply("POST " + MACE + "/load", model("mace", worker(1, 12, "loading")));
        reply("POST " + MACE + "/unload", model("mace"));
        assertThat(fixture.run("models", "load", "mace", "--gpu", "1"))
                .isEqualTo(new Result(0, "mace: GPU 1 loading\n", ""));
        assertThat(fixture.server().received().getLast().body()).isEqualTo("{\"gpu\":1}");
        assertThat(fixture.run("models", "unload", "mace"))
                .isEqualTo(new Result(0, "mace is not loaded\n", ""));
        assertThat(fixture.server().received().getLast().body()).isEqualTo("{}");
        assertThat(fixture.run("models", "rm", "mace"))
                .isEqualTo(new Result(0, "mace removed\n", ""));
    }

    @Test
    void jsonIsWhatTheServerSent() {
        reply(ALL, List.of(model("mace")));
        reply("GET " + MACE, model("mace"));
        reply("PUT " + MACE, model("mace"));
        String one = JsonWriter.write(model("mace")) + "\n";
        assertThat(fixture.run("models", "--json").out()).isEqualTo("[" + one.strip() + "]\n");
        assertThat(fixture.run("models", "mace", "--json").out()).isEqualTo(one);
        assertThat(fixture.run("models", "add", "mace", "--worker", "w", "--json").out())
                .isEqualTo(one);
    }

    @Test
    void aNameIsEncodedAndCanBeThatOfAVerb() {
        reply("GET /api/models/a%2Fb%20c%2B", model("a/b c+"));
        reply("GET /api/models/load", model("load"));
        assertThat(fixture.run("models", "a/b c+").out()).startsWith("Model a/b c+\n");
        assertThat(fixture.run("models", "show", "load").out()).startsWith("Model load\n");
    }

    @Test
    void aRefusalOfTheServerIsShown() {
        fixture.server()
                .on(
                        "DELETE " + MACE,
                        fixture.server()
                                .json(
                                        409,
                                        "{\"detail\":\"Task 7 needs model"
                                                + " mace.\",\"code\":\"x\"}"));
        assertThat(fixture.run("models", "rm", "mace"))
                .isEqualTo(new Result(1, "", "berth: Task 7 needs model mace.\n"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lod mace | no 'lod' here: show, add, rm, load, unload, or the name of a model",
                "load | give the name of one model: berth models load NAME",
                "rm a b | give the name of one model: berth models rm NAME",
                "add mace | give the command that starts a worker: --worker CMD",
                "mace --prewarm | --prewarm is for add only",
                "--memory 6g | --memory is for add only",
                "rm mace --gpu 1 | --gpu is for load and unload only",
                "load mace --gpu 0,1 | --gpu '0,1' is invalid: the number of one GPU",
                "add m --worker w --memory 6x | --memory '6x' is invalid: 6G, 6000M or 6 (GB)",
                "add m --worker w --memory-mb 0 | --memory-mb '0' is invalid: a number, 1 or more",
                "add m --worker w --memory 1g --memory-mb 9 | use --memory or --memory-mb, not"
                        + " both",
                "add m --worker w --idle 5 | --idle '5' is invalid: 90s, 10m, 2h or 1d",
                "add m --worker w --env NONE | --env 'NONE' is invalid: K=V: this variable is not"
                        + " set in your environment",
            })
    void aWrongCallIsAUsageError(String words, String message) {
        Result result = fixture.run(("models " + words).split(" "));
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("berth: " + message + "\n");
        assertThat(fixture.server().received()).isEmpty();
    }
}
