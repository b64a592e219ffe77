package dev.berth.http;

import dev.berth.core.NearestName;
import dev.berth.core.Rejected;
import dev.berth.json.WireJson;

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

/** The fields of a JSON object, each read with its type. A null field counts as absent. */
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

    /** True if the field is present and null. */
    public boolean isNull(String name) {
        return has(name) && value(name).isEmpty();
    }

    /** These fields on top of defaults. A field that is present here wins, even if it is null. */
    public JsonFields onTopOf(Map<String, ?> others) {
        ObjectNode both = WireJson.MAPPER.valueToTree(others);
        object.properties().forEach(entry -> both.set(entry.getKey(), entry.getValue()));
        return new JsonFields(both);
    }

    /** These fields with others in the place of those of the same name. */
    public JsonFields with(Map<String, ?> others) {
        ObjectNode both = object.deepCopy();
        ObjectNode on = WireJson.MAPPER.valueToTree(others);
        on.properties().forEach(entry -> both.set(entry.getKey(), entry.getValue()));
        return new JsonFields(both);
    }

    /** Rejects unknown fields: no field is silently ignored. */
    public void requireKnown(Collection<String> known, Collection<String> later)
            throws RejectedException {
        for (var name : object.propertyNames()) {
            if (later.contains(name) && value(name).isPresent()) {
                throw RejectedException.invalid("field.unsupported", name);
            }
            if (!known.contains(name) && !later.contains(name)) {
                throw new RejectedException(NearestName.rejectUnknown("field", name, known));
            }
        }
    }

    public Optional<String> text(String name) throws RejectedException {
        var value = value(name);
        return value.isEmpty() ? Optional.empty() : Optional.of(text(name, value.get()));
    }

    public String requiredText(String name) throws RejectedException {
        var text = text(name);
        if (text.isEmpty()) {
            throw RejectedException.invalid("field.missing", name);
        }
        return text.get();
    }

    public OptionalInt wholeNumber(String name, int min, int max) throws RejectedException {
        var value = value(name);
        if (value.isEmpty()) {
            return OptionalInt.empty();
        }
        var node = value.get();
        if (!node.isIntegralNumber()
                || !node.canConvertToInt()
                || node.intValue() < min
                || node.intValue() > max) {
            throw new RejectedException(
                    Rejected.invalid(name + ".invalid", name)
                            .variant("whole_number")
                            .with("given", description(node))
                            .with("min", min)
                            .with("max", max));
        }
        return OptionalInt.of(node.intValue());
    }

    /** A number above zero. */
    public OptionalDouble positiveNumber(String name, double max) throws RejectedException {
        var value = value(name);
        if (value.isEmpty()) {
            return OptionalDouble.empty();
        }
        var node = value.get();
        if (!node.isNumber() || !(node.doubleValue() > 0 && node.doubleValue() <= max)) {
            throw invalid(name, "positive", node, max);
        }
        return OptionalDouble.of(node.doubleValue());
    }

    /** A number of zero or more. */
    public OptionalDouble nonNegativeNumber(String name, double max) throws RejectedException {
        var value = value(name);
        if (value.isEmpty()) {
            return OptionalDouble.empty();
        }
        var node = value.get();
        if (!node.isNumber() || !(node.doubleValue() >= 0 && node.doubleValue() <= max)) {
            throw invalid(name, "number", node, max);
        }
        return OptionalDouble.of(node.doubleValue());
    }

    /** True if the field is missing or null. */
    public boolean isAbsent(String name) {
        return value(name).isEmpty();
    }

    /** An object in a field. */
    public Optional<JsonFields> object(String name) throws RejectedException {
        var value = value(name);
        if (value.isEmpty()) {
            return Optional.empty();
        }
        if (!(value.get() instanceof ObjectNode inner)) {
            throw invalid(name, "object", value.get());
        }
        return Optional.of(new JsonFields(inner));
    }

    /** An object, as JSON text. */
    public Optional<String> objectText(String name) throws RejectedException {
        var value = value(name);
        if (value.isPresent() && !value.get().isObject()) {
            throw invalid(name, "object", value.get());
        }
        return value.map(JsonNode::toString);
    }

    public boolean isText(String name) {
        return value(name).filter(JsonNode::isString).isPresent();
    }

    public boolean flag(String name) throws RejectedException {
        var value = value(name);
        if (value.isPresent() && !value.get().isBoolean()) {
            throw invalid(name, "flag", value.get());
        }
        return value.isPresent() && value.get().booleanValue();
    }

    /** An object whose values are all strings. */
    public SortedMap<String, String> textMap(String name) throws RejectedException {
        var texts = new TreeMap<String, String>();
        var value = value(name);
        if (value.isEmpty()) {
            return texts;
        }
        if (!(value.get() instanceof ObjectNode inner)) {
            throw invalid(name, "texts_by_name", value.get());
        }
        for (var entry : inner.properties()) {
            texts.put(entry.getKey(), text(name + "." + entry.getKey(), entry.getValue()));
        }
        return texts;
    }

    /** A list of strings; empty if the field is absent. */
    public List<String> textList(String name) throws RejectedException {
        var words = new ArrayList<String>();
        for (var item : items(name)) {
            words.add(text(name + "[" + words.size() + "]", item));
        }
        return words;
    }

    /** A list of objects; empty if the field is absent. */
    public List<JsonFields> objects(String name) throws RejectedException {
        var objects = new ArrayList<JsonFields>();
        for (var item : items(name)) {
            if (!(item instanceof ObjectNode inner)) {
                throw new RejectedException(
                        Rejected.invalid(name + ".invalid", name + "[" + objects.size() + "]")
                                .variant("object_in_list")
                                .with("given", description(item)));
            }
            objects.add(new JsonFields(inner));
        }
        return objects;
    }

    private List<JsonNode> items(String name) throws RejectedException {
        var value = value(name);
        if (value.isPresent() && !value.get().isArray()) {
            throw invalid(name, "list", value.get());
        }
        return value.map(list -> list.valueStream().toList()).orElse(List.of());
    }

    /** The whole object as JDK values: strings, numbers, booleans, lists, maps and null. */
    public Map<String, @Nullable Object> toMap() throws RejectedException {
        return toMap("", object);
    }

    private static Map<String, @Nullable Object> toMap(String prefix, ObjectNode object)
            throws RejectedException {
        var plain = new LinkedHashMap<String, @Nullable Object>();
        for (var entry : object.properties()) {
            plain.put(entry.getKey(), toMap(prefix + entry.getKey(), entry.getValue()));
        }
        return plain;
    }

    private static @Nullable Object toMap(String name, JsonNode node) throws RejectedException {
        return switch (node.getNodeType()) {
            case OBJECT -> toMap(name + ".", (ObjectNode) node);
            case ARRAY -> {
                var items = new ArrayList<@Nullable Object>();
                for (var item : node) {
                    items.add(toMap(name, item));
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

    private static String text(String name, JsonNode node) throws RejectedException {
        if (!node.isString()) {
            throw new RejectedException(
                    Rejected.invalid("field.not_text", name).with("given", description(node)));
        }
        var text = node.stringValue();
        int bad =
                text.codePoints()
                        .filter(c -> c == 0 || Character.getType(c) == Character.SURROGATE)
                        .findFirst()
                        .orElse(-1);
        if (bad >= 0) {
            throw RejectedException.invalid("field.bad_text", name);
        }
        return text;
    }

    private static RejectedException invalid(String name, String variant, JsonNode given) {
        return new RejectedException(
                Rejected.invalid(name + ".invalid", name)
                        .variant(variant)
                        .with("given", description(given)));
    }

    private static RejectedException invalid(
            String name, String variant, JsonNode given, double max) {
        return new RejectedException(
                Rejected.invalid(name + ".invalid", name)
                        .variant(variant)
                        .with("given", description(given))
                        .with("max", (long) max));
    }

    private static String description(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT, POJO -> "{…}";
            case ARRAY -> "[…]";
            case STRING -> Param.quoted(node.stringValue());
            case BINARY, BOOLEAN, MISSING, NULL, NUMBER -> {
                var text = node.toString();
                yield text.length() > 40 ? text.substring(0, 40) + "…" : text;
            }
        };
    }
}
