package dev.berth.store;

import dev.berth.core.commandfile.BlockProblem;
import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonParser.JsonNumber;
import dev.berth.jsontext.JsonParser.MalformedJson;
import dev.berth.jsontext.JsonWriter;

import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Problems of a command file as a JSON array: readable in any SQL shell. */
final class BlockProblemsText {

    private BlockProblemsText() {}

    /** Empty for no problems: a column that was added later must be NULL in old rows. */
    static Optional<String> of(List<BlockProblem> problems) {
        return problems.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        JsonWriter.write(
                                problems.stream().map(BlockProblemsText::object).toList()));
    }

    private static Map<String, Object> object(BlockProblem problem) {
        var object = new LinkedHashMap<String, Object>();
        object.put("line", problem.line());
        object.put("code", problem.code());
        object.put("params", problem.params());
        return object;
    }

    static List<BlockProblem> read(Optional<String> text) throws SQLException {
        return text.isPresent() ? read(text.get()) : List.of();
    }

    private static List<BlockProblem> read(String text) throws SQLException {
        try {
            if (!(JsonParser.parse(text) instanceof List<?> array)) {
                throw malformed(text, null);
            }
            var problems = new ArrayList<BlockProblem>();
            for (var one : array) {
                problems.add(problem(one, text));
            }
            return problems;
        } catch (MalformedJson e) {
            throw malformed(text, e);
        }
    }

    private static BlockProblem problem(Object value, String text) throws SQLException {
        if (value instanceof Map<?, ?> object
                && object.get("line") instanceof JsonNumber(var line)
                && object.get("code") instanceof String code
                && object.get("params") instanceof Map<?, ?> params) {
            var values = new LinkedHashMap<String, String>();
            params.forEach(
                    (name, param) -> values.put(String.valueOf(name), String.valueOf(param)));
            return new BlockProblem(Integer.parseInt(line), code, values);
        }
        throw malformed(text, null);
    }

    private static SQLException malformed(String text, @Nullable MalformedJson cause) {
        return new SQLException("not a list of block problems: " + text, cause);
    }
}
