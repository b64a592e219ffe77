package dev.berth.server.tls;

import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Tells a client that does not speak TLS what is wrong. */
public final class PlainHttpRefusal extends DetectorConnectionFactory {

    private static final String BODY = "This port serves HTTPS: use https:// in the address.\n";
    private static final byte[] RESPONSE =
            ("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n"
                            + "Content-Length: "
                            + BODY.length()
                            + "\r\n\r\n"
                            + BODY)
                    .getBytes(StandardCharsets.US_ASCII);

    public PlainHttpRefusal(SslConnectionFactory tls) {
        super(tls);
    }

    @Override
    protected void nextProtocol(Connector connector, EndPoint client, ByteBuffer received) {
        received.clear().limit(0);
        client.write(Callback.from(client::close), ByteBuffer.wrap(RESPONSE));
    }
}
