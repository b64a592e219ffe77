package dev.berth.nodesocket.codec;

import java.util.List;

/** The number of a constant. */
record EnumCodec(List<?> constants) implements TypeCodec {

    @Override
    public void write(ByteWriter out, Object value) {
        out.writeUnsigned(((Enum<?>) value).ordinal());
    }

    @Override
    public Object read(ByteReader in) throws MalformedMessage {
        return constants.get(in.readIndex(constants.size()));
    }
}
