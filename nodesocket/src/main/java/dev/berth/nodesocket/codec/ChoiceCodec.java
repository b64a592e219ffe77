package dev.berth.nodesocket.codec;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One of the classes of a sealed interface: its number, then its value. */
final class ChoiceCodec implements TypeCodec {

    private final Class<?> type;
    private final Map<Class<?>, Integer> numbers = new HashMap<>();
    private final List<TypeCodec> alternatives = new ArrayList<>();

    ChoiceCodec(Class<?> type) {
        this.type = type;
    }

    void add(Class<?> alternative, TypeCodec codec) {
        numbers.put(alternative, alternatives.size());
        alternatives.add(codec);
    }

    @Override
    public void write(ByteWriter out, Object value) {
        var number = numbers.get(value.getClass());
        if (number == null) {
            throw new IllegalArgumentException(
                    value.getClass() + " is not sent as a " + type.getSimpleName());
        }
        out.writeUnsigned(number);
        alternatives.get(number).write(out, value);
    }

    @Override
    public Object read(ByteReader in) throws MalformedMessage {
        return alternatives.get(in.readIndex(alternatives.size())).read(in);
    }
}
