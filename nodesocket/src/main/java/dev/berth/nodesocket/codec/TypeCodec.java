package dev.berth.nodesocket.codec;

/** Writes and reads values of one type. */
interface TypeCodec {

    void write(ByteWriter out, Object value);

    Object read(ByteReader in) throws MalformedMessage;
}
