package dev.berth.http;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The output of an event stream. A client that does not read in time is disconnected. */
public final class StreamOutput {

    private final Request request;
    private final Response response;
    private final Duration deadline;

    /**
     * @param deadline how long one write may take
     */
    public StreamOutput(Request request, Response response, Duration deadline) {
        this.request = request;
        this.response = response;
        this.deadline = deadline;
    }

    /** Returns when the kernel has accepted all bytes. */
    public void send(byte[] bytes) throws IOException, InterruptedException {
        var written =
                Callback.Completable.with(
                        done -> response.write(false, ByteBuffer.wrap(bytes), done));
        try {
            written.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            disconnect();
            throw new IOException("not read for " + deadline.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw new IOException("the other side is gone", e.getCause());
        }
    }

    private void disconnect() {
        request.getConnectionMetaData().getConnection().getEndPoint().close();
    }
}
