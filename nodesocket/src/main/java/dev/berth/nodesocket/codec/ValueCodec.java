package dev.berth.nodesocket.codec;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Encodes values of one root type.
 *
 * @param <T> a record or a sealed interface of records
 */
public final class ValueCodec<T> {

    private final Class<T> root;
    private final TypeCodec codec;
    private final String shape;

    private ValueCodec(Class<T> root, TypeCodec codec, String shape) {
        this.root = root;
        this.codec = codec;
        this.shape = shape;
    }

    /**
     * @param excluded interfaces whose classes are never sent, although a sealed interface permits
     *     them
     * @throws IllegalStateException names a type that cannot be sent
     */
    public static <T> ValueCodec<T> of(Class<T> root, Set<Class<?>> excluded) {
        var types = new Types(excluded);
        var codec = types.of(root);
        return new ValueCodec<>(root, codec, hash(types.shapes));
    }

    /** Equal for two programs whose types have equal names, components and order. */
    public String shape() {
        return shape;
    }

    public byte[] encode(T value) {
        var out = new ByteWriter();
        codec.write(out, value);
        return out.toArray();
    }

    public T decode(byte[] bytes) throws MalformedMessage {
        var in = new ByteReader(bytes);
        try {
            var value = root.cast(codec.read(in));
            in.requireEnd();
            return value;
        } catch (ClassCastException | ArithmeticException invalid) {
            throw new MalformedMessage("a value is not of its type", invalid);
        }
    }

    private static String hash(SortedMap<String, String> shapes) {
        try {
            var text = String.join("\n", shapes.values());
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256")
                                    .digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    /** Finds all types that the root reaches. */
    private static final class Types {

        private final Set<Class<?>> excluded;
        private final Map<Class<?>, TypeCodec> known = new HashMap<>();
        private final SortedMap<String, String> shapes = new TreeMap<>();

        Types(Set<Class<?>> excluded) {
            this.excluded = excluded;
        }

        TypeCodec of(Type type) {
            if (type instanceof Class<?> one) {
                return of(one);
            }
            if (type instanceof ParameterizedType generic) {
                var arguments = Arrays.stream(generic.getActualTypeArguments()).toList();
                return collection(generic.getRawType(), arguments);
            }
            throw new IllegalStateException(type + " cannot be sent");
        }

        private TypeCodec collection(Type raw, List<Type> arguments) {
            var first = of(arguments.getFirst());
            if (raw == Optional.class) {
                return new CollectionCodecs.OptionalCodec(first);
            }
            if (raw == List.class) {
                return new CollectionCodecs.ListCodec(first);
            }
            if (raw == SortedSet.class) {
                return new CollectionCodecs.SortedSetCodec(first);
            }
            if (raw == SortedMap.class) {
                return new CollectionCodecs.SortedMapCodec(first, of(arguments.getLast()));
            }
            throw new IllegalStateException(raw + " cannot be sent");
        }

        private TypeCodec of(Class<?> type) {
            var leaf = LeafCodecs.of(type);
            if (leaf.isPresent()) {
                return leaf.get();
            }
            var before = known.get(type);
            if (before != null) {
                return before;
            }
            if (type.isEnum()) {
                return constants(type);
            }
            if (type.isRecord()) {
                return components(type);
            }
            if (type.isSealed() && type.isInterface()) {
                return alternatives(type);
            }
            throw new IllegalStateException(type + " cannot be sent");
        }

        private TypeCodec constants(Class<?> type) {
            var codec = new EnumCodec(List.of(type.getEnumConstants()));
            known.put(type, codec);
            shapes.put(type.getName(), type.getName() + " " + codec.constants());
            return codec;
        }

        /** A type is known before its components, because they may contain it. */
        private TypeCodec components(Class<?> type) {
            var codec = new RecordCodec(type);
            known.put(type, codec);
            var shape = new StringBuilder(type.getName());
            for (var component : type.getRecordComponents()) {
                shape.append(' ').append(component.getName());
                shape.append(':').append(component.getGenericType().getTypeName());
                codec.add(component.getAccessor(), of(component.getGenericType()));
            }
            shapes.put(type.getName(), shape.toString());
            return codec;
        }

        private TypeCodec alternatives(Class<?> type) {
            var codec = new ChoiceCodec(type);
            known.put(type, codec);
            var leaves = new TreeMap<String, Class<?>>(Comparator.naturalOrder());
            collect(type, leaves);
            leaves.values().forEach(leaf -> codec.add(leaf, of(leaf)));
            shapes.put(type.getName(), type.getName() + " " + leaves.keySet());
            return codec;
        }

        private void collect(Class<?> type, Map<String, Class<?>> leaves) {
            if (excluded.contains(type)) {
                return;
            }
            if (type.isSealed() && type.isInterface()) {
                for (var permitted : type.getPermittedSubclasses()) {
                    collect(permitted, leaves);
                }
            } else {
                leaves.put(type.getName(), type);
            }
        }
    }
}
