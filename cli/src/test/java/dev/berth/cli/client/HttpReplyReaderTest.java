package dev.berth.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;

class HttpReplyReaderTest {

    private static HttpReplyReader reader(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new HttpReplyReader(
                Channels.newChannel(new ByteArrayInputStream(bytes)), new SpareArrays());
    }

    private static ApiReply read(String text) throws IOException {
        return reader(text).read();
    }

    @Test
    void aBodyOfAKnownLength() throws Exception {
        HttpReplyReader reader =
                reader("HTTP/1.1 201 Created\r\ncontent-LENGTH:  6 \r\nX-A:b:c\r\n\r\n训练");
        ApiReply reply = reader.read();
        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.body()).isEqualTo("训练");
        assertThat(reply.header("x-a")).isEqualTo("b:c");
        assertThat(reply.header("x-none")).isEmpty();
        assertThat(reader.isReusable()).isTrue();
    }

    @Test
    void aBodyInChunks() throws Exception {
        HttpReplyReader reader =
                reader(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
                                + "5;x=y\r\nhello\r\nA\r\n, world 12\r\n0\r\nT: 1\r\n\r\n");
        assertThat(reader.read().body()).isEqualTo("hello, world 12");
        assertThat(reader.isReusable()).isTrue();
    }

    @Test
    void manySmallChunksAreNotALongHeader() throws Exception {
        String chunks = "1\r\nx\r\n".repeat(100_000);
        String text =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + "0\r\n\r\n";
        assertThat(read(text).body()).hasSize(100_000);
    }

    @Test
    void aBodyThatEndsWithTheConnection() throws Exception {
        HttpReplyReader reader = reader("HTTP/1.0 200 OK\r\n\r\n" + "x".repeat(50_000));
        assertThat(reader.read().body()).hasSize(50_000);
        assertThat(reader.isReusable()).isFalse();
    }

    @Test
    void aConnectionThatWillCloseIsNotKept() throws Exception {
        HttpReplyReader reader =
                reader("HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n");
        assertThat(reader.read().body()).isEmpty();
        assertThat(reader.isReusable()).isFalse();
    }

    @Test
    void bytesWithoutARequestSpoilTheConnection() throws Exception {
        HttpReplyReader reader = reader("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc");
        assertThat(reader.read().body()).isEqualTo("a");
        assertThat(reader.isReusable()).isFalse();
    }

    @Test
    void interimAnswersAndEmptyOnesArePassedOver() throws Exception {
        ApiReply reply = read("HTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 204 None\r\n\r\n");
        assertThat(reply.status()).isEqualTo(204);
        assertThat(reply.body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH\r\n\r\n",
                "HTTP/1.1\r\n\r\n",
                "HTTP/1.1 abc OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nx\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\nx\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxx\r\n0\r\n\r\n",
            })
    void whatIsNotHttpOrTooLargeIsSaid(String text) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOfSatisfying(
                        ConnectionFailure.class,
                        failure ->
                                assertThat(failure.kind())
                                        .isEqualTo(ConnectionFailure.Kind.MALFORMED_REPLY));
    }

    @Test
    void aHeaderWithoutEndIsCutOff() {
        assertThatThrownBy(() -> read("HTTP/1.1 200 OK\r\nX: " + "y".repeat(100_000)))
                .isInstanceOf(ConnectionFailure.class)
                .hasMessage("its header is too long");
        assertThatThrownBy(() -> read("HTTP/1.1 100 Go\r\n\r\n".repeat(10_000)))
                .isInstanceOf(ConnectionFailure.class);
    }

    @Test
    void aBodyWithoutEndIsCutOff() {
        byte[] head = "HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.UTF_8);
        InputStream endless =
                new InputStream() {
                    @Override
                    public int read() {
                        return 'x';
                    }
                };
        InputStream all = new SequenceInputStream(new ByteArrayInputStream(head), endless);
        assertThatThrownBy(
                        () ->
                                new HttpReplyReader(Channels.newChannel(all), new SpareArrays())
                                        .read())
                .isInstanceOf(ConnectionFailure.class)
                .hasMessage("its answer is larger than 64 MiB");
    }

    @Test
    void anAnswerThatBreaksOffIsLost() {
        String text = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc";
        for (int length = 0; length < text.length(); length++) {
            String cut = text.substring(0, length);
            assertThatThrownBy(() -> read(cut)).as(cut).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void aSpareArrayOfTheSameLengthIsUsedAgain() throws IOException {
        SpareArrays spare = new SpareArrays();
        byte[] old = new byte[3];
        spare.give(old);
        byte[] reply =
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
                        .getBytes(StandardCharsets.ISO_8859_1);
        ApiReply first =
                new HttpReplyReader(Channels.newChannel(new ByteArrayInputStream(reply)), spare)
                        .read();
        assertThat(first.content()).isSameAs(old);
        assertThat(first.body()).isEqualTo("abc");
        spare.give(new byte[4]);
        ApiReply second =
                new HttpReplyReader(Channels.newChannel(new ByteArrayInputStream(reply)), spare)
                        .read();
        assertThat(second.body()).as("another length").isEqualTo("abc");
    }
}
