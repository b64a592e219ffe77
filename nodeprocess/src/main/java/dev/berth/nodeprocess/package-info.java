/**
 * The node as a process of its own. It runs as root and trusts its own configuration file; the
 * server, an unprivileged account, only gives orders, and the node decides for whom it carries them
 * out.
 */
@NullMarked
package dev.berth.nodeprocess;

import org.jspecify.annotations.NullMarked;
