package dev.berth.server.openapi;

import dev.berth.server.http.Json;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** JSON schemas of wire records, each named once and referred to. */
final class Schemas {

    private final SortedMap<String, Object> named = new TreeMap<>();

    /** All that were asked for, and those they refer to. */
    SortedMap<String, Object> named() {
        return named;
    }

    Map<String, Object> of(Class<? extends Record> type) {
        var name = type.getSimpleName();
        if (!named.containsKey(name)) {
            // Entered first, so that a record that holds itself comes to an end.
            named.put(name, Map.of());
            named.put(name, described(type));
        }
        return Map.of("$ref", "#/components/schemas/" + name);
    }

    private Map<String, Object> described(Class<? extends Record> type) {
        var properties = new LinkedHashMap<String, Object>();
        var required = new ArrayList<String>();
        for (RecordComponent component : type.getRecordComponents()) {
            var name = Json.wireName(component.getName());
            var isNullable = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
            var schema = of(component.getAnnotatedType());
            properties.put(name, isNullable ? orNull(schema) : schema);
            if (!isNullable) {
                required.add(name);
            }
        }
        var schema = new LinkedHashMap<String, Object>();
        schema.put("type", "object");
        schema.put("properties", properties);
        schema.put("required", required);
        return schema;
    }

    private Map<String, Object> of(AnnotatedType annotated) {
        Type type = annotated.getType();
        if (annotated instanceof AnnotatedParameterizedType generic
                && type instanceof ParameterizedType parameterized) {
            var arguments = generic.getAnnotatedActualTypeArguments();
            return parameterized.getRawType() == List.class
                    ? Map.of("type", "array", "items", of(arguments[0]))
                    : Map.of("type", "object", "additionalProperties", of(arguments[1]));
        }
        if (type == Object.class) {
            return Map.of();
        }
        if (type instanceof Class<?> plain) {
            return plain.isRecord()
                    ? of(plain.asSubclass(Record.class))
                    : Map.of("type", word(plain));
        }
        throw new IllegalArgumentException("no schema for " + type);
    }

    private static String word(Class<?> type) {
        if (type == String.class) {
            return "string";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "boolean";
        }
        if (type == double.class || type == Double.class) {
            return "number";
        }
        if (type == int.class
                || type == Integer.class
                || type == long.class
                || type == Long.class) {
            return "integer";
        }
        throw new IllegalArgumentException("no schema for " + type);
    }

    private static Map<String, Object> orNull(Map<String, Object> schema) {
        if (schema.get("type") instanceof String word) {
            var wider = new TreeMap<>(schema);
            wider.put("type", List.of(word, "null"));
            return wider;
        }
        return Map.of("anyOf", List.of(schema, Map.of("type", "null")));
    }
}
