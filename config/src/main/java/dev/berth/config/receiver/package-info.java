/**
 * Settings of the receivers of notifications. A <em>receiver</em> subscribes to <em>topics</em> and
 * is reached through a channel: a webhook, a chat robot or mail. The <em>address policy</em>
 * refuses hosts that no notification may be sent to.
 */
@NullMarked
package dev.berth.config.receiver;

import org.jspecify.annotations.NullMarked;
