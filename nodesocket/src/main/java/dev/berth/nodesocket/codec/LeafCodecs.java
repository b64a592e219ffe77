package dev.berth.nodesocket.codec;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/** The codecs of types that have no components. */
final class LeafCodecs {

    private static final int NANOS = 1_000_000_000;

    private static final TypeCodec BOOLEAN =
            leaf((out, value) -> out.writeByte((Boolean) value ? 1 : 0), ByteReader::readBoolean);
    private static final TypeCodec INT =
            leaf(
                    (out, value) -> out.writeLong((Integer) value),
                    in -> (int) in.readLong(Integer.MIN_VALUE, Integer.MAX_VALUE));
    private static final TypeCodec LONG =
            leaf((out, value) -> out.writeLong((Long) value), ByteReader::readLong);
    private static final TypeCodec DOUBLE =
            leaf(
                    (out, value) -> out.writeLong(Double.doubleToRawLongBits((Double) value)),
                    in -> Double.longBitsToDouble(in.readLong()));

    private static final Map<Class<?>, TypeCodec> CODECS =
            Map.ofEntries(
                    Map.entry(boolean.class, BOOLEAN),
                    Map.entry(Boolean.class, BOOLEAN),
                    Map.entry(int.class, INT),
                    Map.entry(Integer.class, INT),
                    Map.entry(long.class, LONG),
                    Map.entry(Long.class, LONG),
                    Map.entry(double.class, DOUBLE),
                    Map.entry(Double.class, DOUBLE),
                    Map.entry(
                            String.class,
                            leaf(
                                    (out, value) -> out.writeText((String) value),
                                    ByteReader::readText)),
                    Map.entry(
                            byte[].class,
                            leaf(
                                    (out, value) -> out.writeBytes((byte[]) value),
                                    ByteReader::readBytes)),
                    Map.entry(Path.class, leaf(LeafCodecs::writePath, LeafCodecs::readPath)),
                    Map.entry(
                            Instant.class, leaf(LeafCodecs::writeInstant, LeafCodecs::readInstant)),
                    Map.entry(
                            Duration.class,
                            leaf(LeafCodecs::writeDuration, LeafCodecs::readDuration)),
                    Map.entry(OptionalInt.class, leaf(LeafCodecs::writeInt, LeafCodecs::readInt)),
                    Map.entry(
                            OptionalLong.class, leaf(LeafCodecs::writeLong, LeafCodecs::readLong)),
                    Map.entry(
                            OptionalDouble.class,
                            leaf(LeafCodecs::writeDouble, LeafCodecs::readDouble)));

    private LeafCodecs() {}

    static Optional<TypeCodec> of(Class<?> type) {
        return Optional.ofNullable(CODECS.get(type));
    }

    private interface Reading {
        Object from(ByteReader in) throws MalformedMessage;
    }

    private static TypeCodec leaf(BiConsumer<ByteWriter, Object> writing, Reading reading) {
        return new TypeCodec() {
            @Override
            public void write(ByteWriter out, Object value) {
                writing.accept(out, value);
            }

            @Override
            public Object read(ByteReader in) throws MalformedMessage {
                return reading.from(in);
            }
        };
    }

    private static void writePath(ByteWriter out, Object value) {
        out.writeText(value.toString());
    }

    private static Object readPath(ByteReader in) throws MalformedMessage {
        try {
            return Path.of(in.readText());
        } catch (InvalidPathException invalid) {
            throw new MalformedMessage("a path is invalid", invalid);
        }
    }

    private static void writeInstant(ByteWriter out, Object value) {
        out.writeLong(((Instant) value).getEpochSecond());
        out.writeLong(((Instant) value).getNano());
    }

    private static Object readInstant(ByteReader in) throws MalformedMessage {
        try {
            return Instant.ofEpochSecond(in.readLong(), in.readLong(0, NANOS - 1));
        } catch (DateTimeException invalid) {
            throw new MalformedMessage("a time is out of range", invalid);
        }
    }

    private static void writeDuration(ByteWriter out, Object value) {
        out.writeLong(((Duration) value).getSeconds());
        out.writeLong(((Duration) value).getNano());
    }

    private static Object readDuration(ByteReader in) throws MalformedMessage {
        return Duration.ofSeconds(in.readLong(), in.readLong(0, NANOS - 1));
    }

    private static void writeInt(ByteWriter out, Object value) {
        var number = (OptionalInt) value;
        out.writeByte(number.isPresent() ? 1 : 0);
        number.ifPresent(out::writeLong);
    }

    private static Object readInt(ByteReader in) throws MalformedMessage {
        return in.readBoolean()
                ? OptionalInt.of((int) in.readLong(Integer.MIN_VALUE, Integer.MAX_VALUE))
                : OptionalInt.empty();
    }

    private static void writeLong(ByteWriter out, Object value) {
        var number = (OptionalLong) value;
        out.writeByte(number.isPresent() ? 1 : 0);
        number.ifPresent(out::writeLong);
    }

    private static Object readLong(ByteReader in) throws MalformedMessage {
        return in.readBoolean() ? OptionalLong.of(in.readLong()) : OptionalLong.empty();
    }

    private static void writeDouble(ByteWriter out, Object value) {
        var number = (OptionalDouble) value;
        out.writeByte(number.isPresent() ? 1 : 0);
        number.ifPresent(one -> out.writeLong(Double.doubleToRawLongBits(one)));
    }

    private static Object readDouble(ByteReader in) throws MalformedMessage {
        return in.readBoolean()
                ? OptionalDouble.of(Double.longBitsToDouble(in.readLong()))
                : OptionalDouble.empty();
    }
}
