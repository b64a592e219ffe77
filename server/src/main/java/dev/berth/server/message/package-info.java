/**
 * Messages to where people are. A <em>receiver</em> hears of some <em>topics</em>; what happened
 * becomes a <em>note</em>, which takes the <em>form</em> of the receiver's kind. A
 * <em>delivery</em> follows the committed events with a cursor of its own, so nothing is lost by a
 * crash and nobody waits for a receiver.
 */
@NullMarked
package dev.berth.server.message;

import org.jspecify.annotations.NullMarked;
