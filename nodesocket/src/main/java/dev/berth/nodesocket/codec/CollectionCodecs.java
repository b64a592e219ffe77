package dev.berth.nodesocket.codec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The codecs of types that contain values of other types. */
final class CollectionCodecs {

    private CollectionCodecs() {}

    record OptionalCodec(TypeCodec element) implements TypeCodec {
        @Override
        public void write(ByteWriter out, Object value) {
            var optional = (Optional<?>) value;
            out.writeByte(optional.isPresent() ? 1 : 0);
            optional.ifPresent(one -> element.write(out, one));
        }

        @Override
        public Object read(ByteReader in) throws MalformedMessage {
            return in.readBoolean() ? Optional.of(element.read(in)) : Optional.empty();
        }
    }

    record ListCodec(TypeCodec element) implements TypeCodec {
        @Override
        public void write(ByteWriter out, Object value) {
            writeAll(out, (Collection<?>) value, element);
        }

        @Override
        public Object read(ByteReader in) throws MalformedMessage {
            return List.copyOf(readAll(in, element));
        }
    }

    /** In the natural order of its elements. */
    record SortedSetCodec(TypeCodec element) implements TypeCodec {
        @Override
        public void write(ByteWriter out, Object value) {
            writeAll(out, (Collection<?>) value, element);
        }

        @Override
        public Object read(ByteReader in) throws MalformedMessage {
            return Collections.unmodifiableSortedSet(new TreeSet<>(readAll(in, element)));
        }
    }

    /** In the natural order of its keys. */
    record SortedMapCodec(TypeCodec key, TypeCodec element) implements TypeCodec {
        @Override
        public void write(ByteWriter out, Object value) {
            var map = (SortedMap<?, ?>) value;
            out.writeUnsigned(map.size());
            map.forEach(
                    (name, one) -> {
                        key.write(out, name);
                        element.write(out, one);
                    });
        }

        @Override
        public Object read(ByteReader in) throws MalformedMessage {
            in.enter();
            var map = new TreeMap<Object, Object>();
            for (int left = in.readCount(); left > 0; left--) {
                var name = key.read(in);
                if (map.put(name, element.read(in)) != null) {
                    throw new MalformedMessage("a key is there twice");
                }
            }
            in.leave();
            return Collections.unmodifiableSortedMap(map);
        }
    }

    private static void writeAll(ByteWriter out, Collection<?> values, TypeCodec element) {
        out.writeUnsigned(values.size());
        values.forEach(one -> element.write(out, one));
    }

    private static List<Object> readAll(ByteReader in, TypeCodec element) throws MalformedMessage {
        in.enter();
        int count = in.readCount();
        // It grows with what is read, not with what was announced.
        var values = new ArrayList<Object>();
        for (int i = 0; i < count; i++) {
            values.add(element.read(in));
        }
        in.leave();
        return values;
    }
}
