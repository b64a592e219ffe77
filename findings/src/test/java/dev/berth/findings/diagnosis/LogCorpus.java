package dev.berth.findings.diagnosis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Sample logs of common tools with the expected diagnosis. */
public final class LogCorpus {

    /**
     * @param line the decisive line
     */
    record Failing(
            String name,
            int exitCode,
            String cause,
            SortedMap<String, String> params,
            String line,
            String text) {}

    public record Healthy(String name, int exitCode, String text) {}

    private LogCorpus() {}

    static List<Failing> failing() {
        return rows("failing.tsv").map(LogCorpus::failing).toList();
    }

    public static List<Healthy> healthy() {
        return rows("healthy.tsv")
                .map(
                        row ->
                                new Healthy(
                                        row[0],
                                        Integer.parseInt(row[1]),
                                        text("healthy/" + row[0] + ".txt")))
                .toList();
    }

    private static Failing failing(String[] row) {
        var params = new TreeMap<String, String>();
        for (var param : row[3].isEmpty() ? new String[0] : row[3].split(",")) {
            var parts = param.split("=", 2);
            params.put(parts[0], parts[1]);
        }
        return new Failing(
                row[0],
                Integer.parseInt(row[1]),
                row[2],
                params,
                row[4],
                text("failing/" + row[0] + ".txt"));
    }

    private static Stream<String[]> rows(String table) {
        return text(table).lines().filter(row -> !row.startsWith("#")).map(row -> row.split("\t"));
    }

    static String text(String name) {
        try (var in = LogCorpus.class.getResourceAsStream("/diagnosis/" + name)) {
            return new String(
                    Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
