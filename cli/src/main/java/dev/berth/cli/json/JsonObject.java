package dev.berth.cli.json;

import dev.berth.jsontext.JsonParser;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of one JSON object. A server of another version may omit fields or send unknown ones:
 * a missing field reads as empty, 0 or null; an unknown field is ignored.
 */
public record JsonObject(Map<?, ?> map) {

    public static JsonObject of(@Nullable Object value) {
        return new JsonObject(value instanceof Map<?, ?> map ? map : Map.of());
    }

    /** The value as it was parsed, or null if there is none. */
    public @Nullable Object value(String name) {
        return map.get(name);
    }

    /** The value as it was parsed, or an empty text if there is none. */
    public Object presentValue(String name) {
        Object value = map.get(name);
        return value == null ? "" : value;
    }

    public String text(String name) {
        String text = textOrNull(name);
        return text == null ? "" : text;
    }

    public @Nullable String textOrNull(String name) {
        return map.get(name) instanceof String text ? text : null;
    }

    public boolean isTrue(String name) {
        return Boolean.TRUE.equals(map.get(name));
    }

    public long longNumber(String name) {
        Long number = longOrNull(name);
        return number == null ? 0 : number;
    }

    public int number(String name) {
        return (int) longNumber(name);
    }

    public @Nullable Integer numberOrNull(String name) {
        Long number = longOrNull(name);
        return number == null ? null : number.intValue();
    }

    public @Nullable Boolean isTrueOrNull(String name) {
        return value(name) == null ? null : Boolean.valueOf(isTrue(name));
    }

    public @Nullable Long longOrNull(String name) {
        return longValue(map.get(name));
    }

    public @Nullable Double decimalOrNull(String name) {
        try {
            return map.get(name) instanceof JsonParser.JsonNumber(String text)
                    ? Double.valueOf(text)
                    : null;
        } catch (NumberFormatException notANumber) {
            return null;
        }
    }

    public double decimal(String name) {
        Double number = decimalOrNull(name);
        return number == null ? 0 : number;
    }

    public List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        if (map.get(name) instanceof List<?> list) {
            for (Object element : list) {
                texts.add(String.valueOf(element));
            }
        }
        return texts;
    }

    /** Null also for an empty list, which the server writes for no other meaning. */
    public @Nullable List<String> textsOrNull(String name) {
        List<String> texts = texts(name);
        return texts.isEmpty() ? null : texts;
    }

    public List<Integer> numbers(String name) {
        List<Integer> numbers = new ArrayList<>();
        for (long number : longNumbers(name)) {
            numbers.add((int) number);
        }
        return numbers;
    }

    public @Nullable List<Integer> numbersOrNull(String name) {
        return map.get(name) instanceof List<?> ? numbers(name) : null;
    }

    /** Elements that are not integers are omitted. */
    public List<Long> longNumbers(String name) {
        List<Long> numbers = new ArrayList<>();
        if (map.get(name) instanceof List<?> list) {
            for (Object element : list) {
                Long number = longValue(element);
                if (number != null) {
                    numbers.add(number);
                }
            }
        }
        return numbers;
    }

    public Map<String, String> textMap(String name) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : of(map.get(name)).map().entrySet()) {
            texts.put(String.valueOf(entry.getKey()), String.valueOf(entry.getValue()));
        }
        return texts;
    }

    public @Nullable Map<String, String> textMapOrNull(String name) {
        return map.get(name) instanceof Map<?, ?> ? textMap(name) : null;
    }

    public Map<String, Integer> numberMap(String name) {
        JsonObject object = of(map.get(name));
        Map<String, Integer> numbers = new LinkedHashMap<>();
        for (Object key : object.map().keySet()) {
            String field = String.valueOf(key);
            numbers.put(field, object.number(field));
        }
        return numbers;
    }

    public Map<String, Double> decimalMap(String name) {
        JsonObject object = of(map.get(name));
        Map<String, Double> numbers = new LinkedHashMap<>();
        for (Object key : object.map().keySet()) {
            String field = String.valueOf(key);
            numbers.put(field, object.decimal(field));
        }
        return numbers;
    }

    public Map<String, @Nullable Object> valueMap(String name) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : of(map.get(name)).map().entrySet()) {
            values.put(String.valueOf(entry.getKey()), entry.getValue());
        }
        return values;
    }

    /** Without the fields whose value is null. */
    public Map<String, Object> presentValueMap(String name) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : of(map.get(name)).map().entrySet()) {
            Object value = entry.getValue();
            if (value != null) {
                values.put(String.valueOf(entry.getKey()), value);
            }
        }
        return values;
    }

    private static @Nullable Long longValue(@Nullable Object value) {
        try {
            return value instanceof JsonParser.JsonNumber(String text) ? Long.valueOf(text) : null;
        } catch (NumberFormatException notWhole) {
            return null;
        }
    }
}
