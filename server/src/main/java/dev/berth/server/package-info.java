/**
 * The <em>door</em>: one set of HTTP routes on two <em>entrances</em>, a Unix socket in the home
 * and a loopback port. It opens only when told, which is after recovery. What a caller may ask is
 * in {@code api}, who they are in {@code identity}, how a request becomes an answer in {@code
 * http}.
 */
@NullMarked
package dev.berth.server;

import org.jspecify.annotations.NullMarked;
