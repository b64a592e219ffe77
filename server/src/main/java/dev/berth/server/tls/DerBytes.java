package dev.berth.server.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** Encodes values as certificates contain them (ASN.1 DER). */
final class DerBytes {

    private static final int BOOLEAN = 0x01;
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int UTF8_STRING = 0x0c;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int CONTEXT = 0x80;
    private static final int CONSTRUCTED = 0x20;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private DerBytes() {}

    static byte[] sequence(byte[]... parts) {
        return tagged(SEQUENCE, joined(parts));
    }

    static byte[] set(byte[]... parts) {
        return tagged(SET, joined(parts));
    }

    static byte[] integer(BigInteger value) {
        return tagged(INTEGER, value.toByteArray());
    }

    static byte[] trueValue() {
        return tagged(BOOLEAN, new byte[] {(byte) 0xff});
    }

    static byte[] text(String text) {
        return tagged(UTF8_STRING, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] time(Instant time) {
        return tagged(GENERALIZED_TIME, TIME.format(time).getBytes(StandardCharsets.US_ASCII));
    }

    static byte[] octets(byte[] content) {
        return tagged(OCTET_STRING, content);
    }

    static byte[] bits(byte[] content) {
        return tagged(BIT_STRING, joined(new byte[1], content));
    }

    /** A number of the context that tells what the content is. */
    static byte[] implicit(int number, byte[] content) {
        return tagged(CONTEXT | number, content);
    }

    static byte[] explicit(int number, byte[] content) {
        return tagged(CONTEXT | CONSTRUCTED | number, content);
    }

    /** Like {@code 2.5.29.17}. */
    static byte[] identifier(String dotted) {
        var numbers = List.of(dotted.split("\\.")).stream().map(Integer::valueOf).toList();
        var out = new ByteArrayOutputStream();
        out.write(numbers.get(0) * 40 + numbers.get(1));
        for (int number : numbers.subList(2, numbers.size())) {
            writeInSevenBits(number, out);
        }
        return tagged(OBJECT_IDENTIFIER, out.toByteArray());
    }

    private static void writeInSevenBits(int number, ByteArrayOutputStream out) {
        for (int shift = 28; shift > 0; shift -= 7) {
            if (number >>> shift != 0) {
                out.write(0x80 | (number >>> shift & 0x7f));
            }
        }
        out.write(number & 0x7f);
    }

    private static byte[] tagged(int tag, byte[] content) {
        var out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            var length = BigInteger.valueOf(content.length).toByteArray();
            int skipped = length[0] == 0 ? 1 : 0;
            out.write(0x80 | (length.length - skipped));
            out.write(length, skipped, length.length - skipped);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        var out = new ByteArrayOutputStream();
        for (var part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
