package dev.berth.nodesocket.codec;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The components of a record in their order, created by its canonical constructor. */
final class RecordCodec implements TypeCodec {

    private final Class<?> type;
    private final Constructor<?> constructor;
    private final List<Method> accessors = new ArrayList<>();
    private final List<TypeCodec> components = new ArrayList<>();

    RecordCodec(Class<?> type) {
        this.type = type;
        var parts = type.getRecordComponents();
        var types = Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            this.constructor = type.getDeclaredConstructor(types);
        } catch (NoSuchMethodException missing) {
            throw new IllegalStateException(type + " has no canonical constructor", missing);
        }
        constructor.setAccessible(true);
    }

    /** In the order of the components. A record may contain itself, so they are added later. */
    void add(Method accessor, TypeCodec codec) {
        accessor.setAccessible(true);
        accessors.add(accessor);
        components.add(codec);
    }

    @Override
    public void write(ByteWriter out, Object value) {
        for (int i = 0; i < components.size(); i++) {
            components.get(i).write(out, component(accessors.get(i), value));
        }
    }

    private Object component(Method accessor, Object value) {
        try {
            var component = accessor.invoke(value);
            if (component == null) {
                throw new IllegalArgumentException(accessor + " is null");
            }
            return component;
        } catch (IllegalAccessException | InvocationTargetException impossible) {
            throw new IllegalStateException("reading " + accessor, impossible);
        }
    }

    @Override
    public Object read(ByteReader in) throws MalformedMessage {
        in.enter();
        var values = new Object[components.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = components.get(i).read(in);
        }
        in.leave();
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException refused) {
            throw new MalformedMessage(
                    type.getSimpleName() + " refuses its values: " + refused.getCause(), refused);
        } catch (InstantiationException | IllegalAccessException impossible) {
            throw new IllegalStateException("creating " + type, impossible);
        }
    }
}
