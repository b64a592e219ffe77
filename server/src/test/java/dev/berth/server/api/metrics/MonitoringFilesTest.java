package dev.berth.server.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files for Prometheus and Grafana, checked against the metrics of a server. */
class MonitoringFilesTest {

    private static final Path OPS = Path.of(System.getProperty("berth.root"), "ops");

    /** Metrics that Prometheus itself adds. */
    private static final Set<String> GIVEN = Set.of("up");

    private static final Set<String> WORDS = Set.of("and", "or", "unless", "bool", "offset", "inf");

    @TempDir static Path directory;

    private static TestHttpClient.Reply page;

    @BeforeAll
    static void scrape() throws Exception {
        try (var premises = TestServer.open()) {
            long task = premises.submit("{\"name\":\"t\",\"command\":\"true\",\"devices\":\"0\"}");
            premises.end(task, 0);
            page = premises.socket().get("/metrics");
        }
    }

    @AfterAll
    static void forget() {
        page = null;
    }

    @Test
    void promtoolReadsTheMetrics() throws Exception {
        var said = promtool(page.text(), "check", "metrics");
        // The only name that predates the naming convention with suffixes.
        assertThat(said.text().strip())
                .isEqualTo(
                        "scheduler_schedule_failures counter metrics should have \"_total\""
                                + " suffix");
        assertThat(said.status()).as("3 is a remark, 1 an error").isEqualTo(3);
    }

    @Test
    void promtoolAcceptsRulesAndConfiguration() throws Exception {
        for (var name : List.of("alerts.yml", "berth.yml")) {
            Files.copy(OPS.resolve("prometheus").resolve(name), directory.resolve(name));
        }
        Files.writeString(directory.resolve("berth.token"), "berth_x\n");
        Files.copy(
                Path.of("src/test/resources/prometheus/alerts-test.yml"),
                directory.resolve("alerts-test.yml"));
        for (var call :
                List.of(
                        List.of("check", "rules", "alerts.yml"),
                        List.of("check", "config", "berth.yml"),
                        List.of("test", "rules", "alerts-test.yml"))) {
            var said = promtool("", call.toArray(String[]::new));
            assertThat(said.status()).as("%s", said).isZero();
            assertThat(said.text()).contains("SUCCESS").doesNotContain("FAILED");
        }
    }

    @Test
    void everyAlertUsesExistingMetricsAndGivesAdvice() throws Exception {
        var rules = rules();
        assertThat(rules).hasSizeGreaterThan(8);
        for (var rule : rules) {
            assertExists((String) rule.get("expr"));
            var notes = (Map<?, ?>) rule.get("annotations");
            assertThat(notes.keySet().stream().map(Object::toString))
                    .contains("summary", "description");
        }
    }

    @Test
    void everyPanelUsesExistingMetrics() throws Exception {
        var dashboard =
                JsonMapper.shared().readTree(Files.readString(OPS.resolve("grafana/berth.json")));
        var queries = new ArrayList<String>();
        expressions(dashboard, queries);
        assertThat(queries).hasSizeGreaterThan(20);
        queries.forEach(MonitoringFilesTest::assertExists);
        assertThat(dashboard.get("templating").get("list").get(0).get("type").asString())
                .isEqualTo("datasource");
        assertThat(dashboard.get("panels").findValuesAsString("uid"))
                .allMatch("${datasource}"::equals);
        assertThat(dashboard.get("panels").findValues("id").stream().map(JsonNode::asInt))
                .doesNotHaveDuplicates();
    }

    private static void expressions(JsonNode node, List<String> into) {
        if (node.path("expr").isString()) {
            into.add(node.get("expr").asString());
        }
        if (node.path("definition").isString()) {
            into.add(node.get("definition").asString().replaceFirst(", *\\w+\\)", ")"));
        }
        node.forEach(child -> expressions(child, into));
    }

    private static void assertExists(String expression) {
        var samples = MetricSamples.of(page);
        var names = names(expression);
        assertThat(names).as(expression).isNotEmpty();
        assertThat(names)
                .as(expression)
                .allMatch(name -> GIVEN.contains(name) || samples.hasFamily(name));
    }

    /** The metric names in a query, without labels, ranges, functions and numbers. */
    static Set<String> names(String expression) {
        var bare =
                expression
                        .replaceAll("\"[^\"]*\"", "")
                        .replaceAll("\\{[^}]*}", " ")
                        .replaceAll("\\[[^]]*]", " ")
                        .replaceAll("\\b(by|without|on|ignoring)\\s*\\([^)]*\\)", " ");
        var names = new TreeSet<String>();
        var words = Pattern.compile("(?<![\\w.$])[a-zA-Z_:][\\w:]*(?!\\w*\\s*\\()").matcher(bare);
        while (words.find()) {
            if (!WORDS.contains(words.group())) {
                names.add(words.group());
            }
        }
        return names;
    }

    @Test
    void theNamesInAQueryAreFound() {
        assertThat(
                        names(
                                "60 * sum by (a) (rate(x_total{b=~\"$c\"}[5m])) > 0.2 * y"
                                        + " unless on (d) z_count == 0"))
                .containsExactly("x_total", "y", "z_count");
    }

    private static List<Map<?, ?>> rules() throws Exception {
        var text = Files.readString(OPS.resolve("prometheus/alerts.yml"));
        var file = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(text);
        return ((List<?>) file.get("groups"))
                .stream()
                        .flatMap(group -> ((List<?>) ((Map<?, ?>) group).get("rules")).stream())
                        .<Map<?, ?>>map(rule -> (Map<?, ?>) rule)
                        .toList();
    }

    private record Said(int status, String text) {}

    private static Said promtool(String input, String... arguments) throws Exception {
        assumeTrue(isThere(), "promtool is there");
        var file = Files.createTempFile(directory, "input", ".txt");
        Files.writeString(file, input);
        var command = Stream.concat(Stream.of("promtool"), Stream.of(arguments)).toList();
        var process =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectInput(file.toFile())
                        .redirectErrorStream(true)
                        .start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        return new Said(process.exitValue(), text);
    }

    private static boolean isThere() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(place -> Files.isExecutable(Path.of(place, "promtool")));
    }
}
