package dev.berth.notify;

import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.ProxyAuthenticationProtocolHandler;
import org.eclipse.jetty.client.RedirectProtocolHandler;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.WWWAuthenticationProtocolHandler;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import javax.net.ssl.SSLException;

/**
 * Posts JSON to receivers. The client connects to the addresses that the address policy accepted,
 * and does not resolve a host again. It starts with the first request, because many servers have no
 * receiver.
 */
final class HttpPost implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(HttpPost.class);

    private static final String NAME = "message-http";
    private static final String JSON = "application/json; charset=utf-8";
    private static final int MAX_BODY = 64 << 10;
    private static final int MAX_THREADS = 8;

    private final ConnectionSettings settings;
    private final AtomicReference<FutureTask<HttpClient>> client;
    private volatile boolean isClosed;

    HttpPost(ConnectionSettings settings) {
        this.settings = settings;
        this.client = new AtomicReference<>(new FutureTask<>(this::startClient));
    }

    record HttpAnswer(int status, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** Reads at most the first part of a long answer. */
    HttpAnswer send(URI url, byte[] json) throws DeliveryException {
        var isConnected = new AtomicBoolean();
        var request = request(url, json).onRequestBegin(_ -> isConnected.set(true));
        var listener = new InputStreamResponseListener();
        try {
            request.send(listener);
            var answer = listener.get(timeLimit().toMillis(), TimeUnit.MILLISECONDS);
            try (var body = listener.getInputStream()) {
                return new HttpAnswer(answer.getStatus(), body.readNBytes(MAX_BODY));
            }
        } catch (ExecutionException | IOException | TimeoutException e) {
            throw describe(url, e, isConnected.get());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new DeliveryException("interrupted");
        } finally {
            var _ = request.abort(new CancellationException());
        }
    }

    private Request request(URI url, byte[] json) throws DeliveryException {
        return client().newRequest(url)
                .method(HttpMethod.POST)
                // Each message checks the addresses of the host again, so no connection is kept.
                .headers(headers -> headers.put(HttpHeader.CONNECTION, "close"))
                .body(new BytesRequestContent(JSON, json))
                .idleTimeout(settings.timing().answerLimit().toMillis(), TimeUnit.MILLISECONDS)
                .timeout(timeLimit().toMillis(), TimeUnit.MILLISECONDS);
    }

    private Duration timeLimit() {
        return settings.timing().connectLimit().plus(settings.timing().answerLimit());
    }

    private DeliveryException describe(URI url, Exception e, boolean isConnected) {
        var host = url.getHost();
        Throwable cause = e;
        while (true) {
            if (cause instanceof DeliveryException refused) {
                return refused;
            }
            if (cause instanceof SSLException) {
                return new DeliveryException("no safe way to " + host + ": " + cause.getMessage());
            }
            if (cause.getCause() == null) {
                break;
            }
            cause = cause.getCause();
        }
        if (!isConnected) {
            return new DeliveryException(
                    "cannot connect to " + host + ":" + port(url) + ": " + cause.getMessage());
        }
        if (cause instanceof TimeoutException) {
            return new DeliveryException(
                    host
                            + " did not answer within "
                            + settings.timing().answerLimit().toSeconds()
                            + " s");
        }
        return new DeliveryException(
                host
                        + " broke off: "
                        + (cause instanceof EOFException
                                ? "no whole answer came"
                                : cause.getMessage()));
    }

    private static int port(URI url) {
        return url.getPort() >= 0 ? url.getPort() : url.getScheme().equals("https") ? 443 : 80;
    }

    private HttpClient client() throws DeliveryException {
        var start = client.get();
        // Only the first call runs it; a failed start is tried again by the next message.
        start.run();
        try {
            return start.get();
        } catch (ExecutionException e) {
            client.compareAndSet(start, new FutureTask<>(this::startClient));
            throw new DeliveryException("the HTTP client cannot start: " + e.getCause());
        } catch (CancellationException _) {
            throw new DeliveryException("the server stops");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new DeliveryException("interrupted");
        }
    }

    private HttpClient startClient() throws Exception {
        var threads = new QueuedThreadPool(MAX_THREADS, 1);
        threads.setName(NAME);
        threads.setDaemon(true);
        var tls = new SslContextFactory.Client();
        tls.setSslContext(settings.tls());
        var connector = new ClientConnector();
        connector.setSelectors(1);
        connector.setSslContextFactory(tls);
        var http = new HttpClient(new HttpClientTransportOverHTTP(connector));
        http.setExecutor(threads);
        http.setScheduler(new ScheduledExecutorScheduler(NAME + "-limit", true));
        http.setConnectTimeout(settings.timing().connectLimit().toMillis());
        http.setSocketAddressResolver((host, port, _, found) -> resolve(host, port, found));
        http.setUserAgentField(new HttpField(HttpHeader.USER_AGENT, "berth"));
        http.setHttpCookieStore(new HttpCookieStore.Empty());
        http.setFollowRedirects(false);
        http.start();
        // An answer is reported as it is, and a compressed one could be larger than the limit.
        var handlers = http.getProtocolHandlers();
        handlers.remove(RedirectProtocolHandler.NAME);
        handlers.remove(WWWAuthenticationProtocolHandler.NAME);
        handlers.remove(ProxyAuthenticationProtocolHandler.NAME);
        http.getContentDecoderFactories().clear();
        if (isClosed) {
            http.stop();
        }
        return http;
    }

    /** On its own thread: the client has few, and a lookup may take long. */
    private void resolve(String host, int port, Promise<List<InetSocketAddress>> found) {
        Thread.ofVirtual()
                .name("message-lookup")
                .start(
                        () -> {
                            try {
                                found.succeeded(addresses(host, port));
                            } catch (DeliveryException | RuntimeException e) {
                                found.failed(e);
                            }
                        });
    }

    private List<InetSocketAddress> addresses(String host, int port) throws DeliveryException {
        var name = host.replaceAll("^\\[|]$", "");
        return HostResolver.allowedAddresses(name, settings.timing().connectLimit()).stream()
                .map(address -> new InetSocketAddress(address, port))
                .toList();
    }

    @Override
    public void close() {
        isClosed = true;
        var start = client.get();
        if (start.cancel(false) || start.state() != Future.State.SUCCESS) {
            return;
        }
        try {
            LifeCycle.stop(start.resultNow());
        } catch (RuntimeException e) {
            log.warn("the HTTP client did not stop: {}", e.toString());
        }
    }
}
