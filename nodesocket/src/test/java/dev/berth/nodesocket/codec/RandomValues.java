package dev.berth.nodesocket.codec;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Random values of the types that a codec knows. A record that refuses its values gets others. */
final class RandomValues {

    private static final int MAX_TRIES = 200;
    private static final String LETTERS = "aé训\n\0\"😀 /=";

    private final Random random;
    private final Set<Class<?>> excluded;

    RandomValues(long seed, Set<Class<?>> excluded) {
        this.random = new Random(seed);
        this.excluded = excluded;
    }

    Object of(Type type) throws ReflectiveOperationException {
        if (type instanceof ParameterizedType generic) {
            return collection(generic.getRawType(), generic.getActualTypeArguments());
        }
        var one = (Class<?>) type;
        if (one.isRecord()) {
            return record(one);
        }
        if (one.isEnum()) {
            return pick(List.of(one.getEnumConstants()));
        }
        return one.isSealed() ? of(pick(leaves(one))) : leaf(one);
    }

    private List<Class<?>> leaves(Class<?> type) {
        if (excluded.contains(type)) {
            return List.of();
        }
        if (!type.isSealed()) {
            return List.of(type);
        }
        var leaves = new ArrayList<Class<?>>();
        for (var permitted : type.getPermittedSubclasses()) {
            leaves.addAll(leaves(permitted));
        }
        return leaves;
    }

    private Object collection(Type raw, Type[] arguments) throws ReflectiveOperationException {
        if (raw == Optional.class) {
            return random.nextBoolean() ? Optional.of(of(arguments[0])) : Optional.empty();
        }
        var values = new ArrayList<Object>();
        for (int i = random.nextInt(3); i > 0; i--) {
            values.add(of(arguments[0]));
        }
        if (raw == List.class) {
            return values;
        }
        if (raw == SortedSet.class) {
            return new TreeSet<>(values);
        }
        if (raw == SortedMap.class) {
            var map = new TreeMap<Object, Object>();
            for (var key : values) {
                map.put(key, of(arguments[1]));
            }
            return map;
        }
        throw new IllegalStateException(raw + " is new: add it here");
    }

    private Object record(Class<?> type) throws ReflectiveOperationException {
        var components = type.getRecordComponents();
        var types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        var constructor = type.getDeclaredConstructor(types);
        constructor.setAccessible(true);
        for (int i = 0; i < MAX_TRIES; i++) {
            var values = new Object[components.length];
            for (int at = 0; at < values.length; at++) {
                values[at] = of(components[at].getGenericType());
            }
            try {
                return constructor.newInstance(values);
            } catch (InvocationTargetException refused) {
                // The next values may be better.
            }
        }
        throw new IllegalStateException(type + " refuses all values");
    }

    private Object leaf(Class<?> type) {
        return switch (type.getSimpleName()) {
            case "boolean", "Boolean" -> random.nextBoolean();
            case "int", "Integer" -> random.nextInt(1, 100);
            case "long", "Long" -> number();
            case "double", "Double" -> random.nextDouble();
            case "String" -> text();
            case "byte[]" -> text().getBytes(java.nio.charset.StandardCharsets.UTF_8);
            case "Path" -> Path.of("/" + text().replace("\0", ""));
            case "Instant" ->
                    Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
            case "Duration" -> Duration.ofSeconds(random.nextInt(), random.nextInt(1_000_000_000));
            case "OptionalInt" ->
                    random.nextBoolean() ? OptionalInt.of(random.nextInt()) : OptionalInt.empty();
            case "OptionalLong" ->
                    random.nextBoolean() ? OptionalLong.of(number()) : OptionalLong.empty();
            case "OptionalDouble" ->
                    random.nextBoolean()
                            ? OptionalDouble.of(random.nextDouble())
                            : OptionalDouble.empty();
            default -> throw new IllegalStateException(type + " is new: add it here");
        };
    }

    private long number() {
        return random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(1, 1000);
    }

    private String text() {
        var text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append(LETTERS.substring(0, 1 + random.nextInt(6)));
        }
        return text.toString();
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
