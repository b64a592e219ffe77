/**
 * Follows the logs of running attempts and tells how far each has come. An attempt <em>stands
 * still</em> when it has shown how it advances and then does not for much longer than is its way.
 */
@NullMarked
package dev.berth.node.progress;

import org.jspecify.annotations.NullMarked;
