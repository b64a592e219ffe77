package dev.berth.server.http;

import dev.berth.core.Rejected;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The fields of a body, each read as the type it must have. A field that is null is a field that is
 * not there.
 */
public final class JsonFields {

    private final ObjectNode object;

    JsonFields(ObjectNode object) {
        this.object = object;
    }

    public boolean isEmpty() {
        return object.isEmpty();
    }

    public boolean has(String name) {
        return object.has(name);
    }

    /** Whether it is said to be nothing. */
    public boolean isNull(String name) {
        return has(name) && value(name).isEmpty();
    }

    /** These over others: what is said here counts, also where it is null. */
    public JsonFields over(Map<String, ?> others) {
        ObjectNode both = Json.READER.valueToTree(others);
        object.properties().forEach(entry -> both.set(entry.getKey(), entry.getValue()));
        return new JsonFields(both);
    }

    /** Refuses fields that nobody reads: what is not understood is never ignored. */
    public void expect(Collection<String> known, Collection<String> later) throws Refused {
        for (var name : object.propertyNames()) {
            if (later.contains(name) && value(name).isPresent()) {
                throw Refused.invalid(
                        "field.unsupported",
                        name,
                        name + " is not supported yet. Leave it out of the request.");
            }
            if (!known.contains(name) && !later.contains(name)) {
                throw new Refused(Nearest.unknown("field", name, known));
            }
        }
    }

    public Optional<String> text(String name) throws Refused {
        var value = value(name);
        return value.isEmpty() ? Optional.empty() : Optional.of(text(name, value.get()));
    }

    public String requiredText(String name) throws Refused {
        var text = text(name);
        if (text.isEmpty()) {
            throw Refused.invalid("field.missing", name, name + " is missing.");
        }
        return text.get();
    }

    public OptionalInt wholeNumber(String name, int min, int max) throws Refused {
        var value = value(name);
        if (value.isEmpty()) {
            return OptionalInt.empty();
        }
        var node = value.get();
        if (!node.isIntegralNumber()
                || !node.canConvertToInt()
                || node.intValue() < min
                || node.intValue() > max) {
            throw new Refused(
                    Rejected.invalid(
                                    name + ".invalid",
                                    name,
                                    name
                                            + " is a whole number from "
                                            + min
                                            + " to "
                                            + max
                                            + ", not "
                                            + shown(node)
                                            + ".")
                            .with("min", min)
                            .with("max", max));
        }
        return OptionalInt.of(node.intValue());
    }

    /** A number above zero. */
    public OptionalDouble amount(String name, double max) throws Refused {
        var value = value(name);
        if (value.isEmpty()) {
            return OptionalDouble.empty();
        }
        var node = value.get();
        if (!node.isNumber() || !(node.doubleValue() > 0 && node.doubleValue() <= max)) {
            throw Refused.invalid(
                    name + ".invalid",
                    name,
                    name
                            + " is a number above 0 and at most "
                            + (long) max
                            + ", not "
                            + shown(node)
                            + ".");
        }
        return OptionalDouble.of(node.doubleValue());
    }

    /** A number that may be zero. */
    public OptionalDouble measure(String name, double max) throws Refused {
        var value = value(name);
        if (value.isEmpty()) {
            return OptionalDouble.empty();
        }
        var node = value.get();
        if (!node.isNumber() || !(node.doubleValue() >= 0 && node.doubleValue() <= max)) {
            throw Refused.invalid(
                    name + ".invalid",
                    name,
                    name + " is a number from 0 to " + (long) max + ", not " + shown(node) + ".");
        }
        return OptionalDouble.of(node.doubleValue());
    }

    /** Whether something is there that is a text. */
    public boolean isText(String name) {
        return value(name).filter(JsonNode::isString).isPresent();
    }

    public boolean flag(String name) throws Refused {
        var value = value(name);
        if (value.isPresent() && !value.get().isBoolean()) {
            throw Refused.invalid(
                    name + ".invalid",
                    name,
                    name + " is true or false, not " + shown(value.get()) + ".");
        }
        return value.isPresent() && value.get().booleanValue();
    }

    /** An object whose values are all text. */
    public SortedMap<String, String> texts(String name) throws Refused {
        var texts = new TreeMap<String, String>();
        var value = value(name);
        if (value.isEmpty()) {
            return texts;
        }
        if (!(value.get() instanceof ObjectNode inner)) {
            throw Refused.invalid(
                    name + ".invalid",
                    name,
                    name
                            + " is an object of names and texts, like {\"SEED\": \"7\"}, not "
                            + shown(value.get())
                            + ".");
        }
        for (var entry : inner.properties()) {
            texts.put(entry.getKey(), text(name + "." + entry.getKey(), entry.getValue()));
        }
        return texts;
    }

    /** A list of texts; an empty one where it is not there. */
    public List<String> words(String name) throws Refused {
        var words = new ArrayList<String>();
        for (var item : items(name, "texts")) {
            words.add(text(name + "[" + words.size() + "]", item));
        }
        return words;
    }

    /** A list of objects; an empty one where it is not there. */
    public List<JsonFields> objects(String name) throws Refused {
        var objects = new ArrayList<JsonFields>();
        for (var item : items(name, "objects")) {
            if (!(item instanceof ObjectNode inner)) {
                throw Refused.invalid(
                        name + ".invalid",
                        name + "[" + objects.size() + "]",
                        name + " is a list of objects, and this is " + shown(item) + ".");
            }
            objects.add(new JsonFields(inner));
        }
        return objects;
    }

    private List<JsonNode> items(String name, String what) throws Refused {
        var value = value(name);
        if (value.isPresent() && !value.get().isArray()) {
            throw Refused.invalid(
                    name + ".invalid",
                    name,
                    name + " is a list of " + what + ", not " + shown(value.get()) + ".");
        }
        return value.map(list -> list.valueStream().toList()).orElse(List.of());
    }

    /** All of it as the JDK's own values: texts, numbers, booleans, lists, maps and null. */
    public Map<String, @Nullable Object> plain() throws Refused {
        return plain("", object);
    }

    private static Map<String, @Nullable Object> plain(String prefix, ObjectNode object)
            throws Refused {
        var plain = new LinkedHashMap<String, @Nullable Object>();
        for (var entry : object.properties()) {
            plain.put(entry.getKey(), plain(prefix + entry.getKey(), entry.getValue()));
        }
        return plain;
    }

    private static @Nullable Object plain(String name, JsonNode node) throws Refused {
        return switch (node.getNodeType()) {
            case OBJECT -> plain(name + ".", (ObjectNode) node);
            case ARRAY -> {
                var items = new ArrayList<@Nullable Object>();
                for (var item : node) {
                    items.add(plain(name, item));
                }
                yield items;
            }
            case STRING -> text(name, node);
            case BOOLEAN -> node.booleanValue();
            case NUMBER -> node.numberValue();
            case NULL -> null;
            case BINARY, MISSING, POJO -> throw new IllegalStateException("no JSON: " + node);
        };
    }

    private Optional<JsonNode> value(String name) {
        return object.optional(name).filter(node -> !node.isNull());
    }

    private static String text(String name, JsonNode node) throws Refused {
        if (!node.isString()) {
            throw Refused.invalid(
                    "field.not_text", name, name + " is a text, not " + shown(node) + ".");
        }
        var text = node.stringValue();
        int bad =
                text.codePoints()
                        .filter(c -> c == 0 || Character.getType(c) == Character.SURROGATE)
                        .findFirst()
                        .orElse(-1);
        if (bad >= 0) {
            throw Refused.invalid(
                    "field.bad_text",
                    name,
                    name
                            + " holds "
                            + (bad == 0
                                    ? "a NUL character"
                                    : "half of a character (a lone surrogate)")
                            + ", which no file or command can carry.");
        }
        return text;
    }

    private static String shown(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT, POJO -> "an object";
            case ARRAY -> "a list";
            case STRING -> Param.shown(node.stringValue());
            case BINARY, BOOLEAN, MISSING, NULL, NUMBER -> {
                var text = node.toString();
                yield text.length() > 40 ? text.substring(0, 40) + "…" : text;
            }
        };
    }
}
