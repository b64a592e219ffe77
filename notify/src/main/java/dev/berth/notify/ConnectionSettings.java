package dev.berth.notify;

import javax.net.ssl.SSLContext;

/**
 * Time limits and trust for connections.
 *
 * @param trust the trusted certificates
 */
record ConnectionSettings(DeliveryTiming timing, SSLContext trust) {}
