package dev.berth.cli.link;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of one JSON object. A server of another version may leave out what we look for or send
 * what we do not know: the first reads as empty, 0 or null, the second is not looked at.
 */
record Fields(Map<?, ?> map) {

    static Fields of(@Nullable Object value) {
        return new Fields(value instanceof Map<?, ?> map ? map : Map.of());
    }

    static List<Fields> listOf(@Nullable Object value) {
        List<Fields> all = new ArrayList<>();
        if (value instanceof List<?> list) {
            for (Object element : list) {
                all.add(of(element));
            }
        }
        return all;
    }

    String text(String name) {
        String text = textOrNull(name);
        return text == null ? "" : text;
    }

    @Nullable String textOrNull(String name) {
        return map.get(name) instanceof String text ? text : null;
    }

    boolean isTrue(String name) {
        return Boolean.TRUE.equals(map.get(name));
    }

    long longNumber(String name) {
        Long number = longOrNull(name);
        return number == null ? 0 : number;
    }

    int number(String name) {
        return (int) longNumber(name);
    }

    @Nullable Integer numberOrNull(String name) {
        Long number = longOrNull(name);
        return number == null ? null : number.intValue();
    }

    @Nullable Long longOrNull(String name) {
        return whole(map.get(name));
    }

    @Nullable Double decimalOrNull(String name) {
        try {
            return map.get(name) instanceof Json.Numeral(String text) ? Double.valueOf(text) : null;
        } catch (NumberFormatException notANumber) {
            return null;
        }
    }

    double decimal(String name) {
        Double number = decimalOrNull(name);
        return number == null ? 0 : number;
    }

    Fields object(String name) {
        return of(map.get(name));
    }

    /** The names in it, in the order in which they were sent. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        for (Object name : map.keySet()) {
            names.add(String.valueOf(name));
        }
        return names;
    }

    List<Fields> objects(String name) {
        return listOf(map.get(name));
    }

    List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        if (map.get(name) instanceof List<?> list) {
            for (Object element : list) {
                texts.add(String.valueOf(element));
            }
        }
        return texts;
    }

    @Nullable List<Integer> numbersOrNull(String name) {
        if (!(map.get(name) instanceof List<?> list)) {
            return null;
        }
        List<Integer> numbers = new ArrayList<>();
        for (Object element : list) {
            Long number = whole(element);
            if (number != null) {
                numbers.add(number.intValue());
            }
        }
        return numbers;
    }

    Map<String, String> textMap(String name) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (map.get(name) instanceof Map<?, ?> object) {
            object.forEach((key, value) -> texts.put(String.valueOf(key), String.valueOf(value)));
        }
        return texts;
    }

    private static @Nullable Long whole(@Nullable Object value) {
        try {
            return value instanceof Json.Numeral(String text) ? Long.valueOf(text) : null;
        } catch (NumberFormatException notWhole) {
            return null;
        }
    }
}
