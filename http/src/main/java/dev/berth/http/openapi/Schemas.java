package dev.berth.http.openapi;

import dev.berth.wire.Flat;
import dev.berth.wire.LogLines;
import dev.berth.wire.OmittedIfNull;
import dev.berth.wire.QueueInfo;
import dev.berth.wire.TaskEvent;
import dev.berth.wire.WireName;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** JSON schemas of wire records. Each record has one named schema that others refer to. */
final class Schemas {

    /** In a request a nullable field may be missing, in an answer it is null. */
    private enum Direction {
        REQUEST,
        ANSWER
    }

    private final SortedMap<String, Object> named = new TreeMap<>();
    private final Map<String, Direction> directions = new HashMap<>();

    /** OpenAPI cannot attach the events of a stream to a route, so they are added here. */
    Schemas() {
        answer(TaskEvent.class);
        answer(QueueInfo.class);
        answer(LogLines.class);
    }

    /** The schemas requested so far and those they refer to. */
    SortedMap<String, Object> named() {
        return named;
    }

    Map<String, Object> request(Class<? extends Record> type) {
        return of(type, Direction.REQUEST);
    }

    Map<String, Object> answer(Class<? extends Record> type) {
        return of(type, Direction.ANSWER);
    }

    private Map<String, Object> of(Class<? extends Record> type, Direction direction) {
        var name = type.getSimpleName();
        var earlier = directions.putIfAbsent(name, direction);
        if (earlier == null) {
            // Registered first, so that a recursive record terminates.
            named.put(name, Map.of());
            named.put(name, schemaOf(type, direction));
        } else if (earlier != direction) {
            throw new IllegalArgumentException(name + " is both a request and an answer");
        }
        return Map.of("$ref", "#/components/schemas/" + name);
    }

    private Map<String, Object> schemaOf(Class<? extends Record> type, Direction direction) {
        var properties = new LinkedHashMap<String, Object>();
        var required = new ArrayList<String>();
        addProperties(type, direction, properties, required);
        var schema = new LinkedHashMap<String, Object>();
        schema.put("type", "object");
        schema.put("properties", properties);
        schema.put("required", required);
        return schema;
    }

    private void addProperties(
            Class<?> type,
            Direction direction,
            Map<String, Object> properties,
            List<String> required) {
        for (RecordComponent component : type.getRecordComponents()) {
            if (component.isAnnotationPresent(Flat.class)) {
                addProperties(component.getType(), direction, properties, required);
                continue;
            }
            var name = WireName.of(component.getName());
            var isNullable = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
            var schema = of(component.getAnnotatedType(), direction);
            properties.put(name, isNullable ? orNull(schema) : schema);
            var isAlwaysWritten =
                    direction == Direction.ANSWER
                            && !component.isAnnotationPresent(OmittedIfNull.class);
            if (!isNullable || isAlwaysWritten) {
                required.add(name);
            }
        }
    }

    private Map<String, Object> of(AnnotatedType annotated, Direction direction) {
        Type type = annotated.getType();
        if (annotated instanceof AnnotatedParameterizedType generic
                && type instanceof ParameterizedType parameterized) {
            var arguments = generic.getAnnotatedActualTypeArguments();
            return parameterized.getRawType() == List.class
                    ? Map.of("type", "array", "items", of(arguments[0], direction))
                    : Map.of("type", "object", "additionalProperties", of(arguments[1], direction));
        }
        if (type == Object.class) {
            return Map.of();
        }
        if (type instanceof Class<?> plain) {
            return plain.isRecord()
                    ? of(plain.asSubclass(Record.class), direction)
                    : Map.of("type", typeName(plain));
        }
        throw new IllegalArgumentException("no schema for " + type);
    }

    private static String typeName(Class<?> type) {
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
        if (schema.get("type") instanceof String typeName) {
            var nullable = new TreeMap<>(schema);
            nullable.put("type", List.of(typeName, "null"));
            return nullable;
        }
        return Map.of("anyOf", List.of(schema, Map.of("type", "null")));
    }
}
