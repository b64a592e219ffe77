/**
 * The <em>audit</em>: who asked for what, from where, and what came of it. Of a request it holds
 * the method and the route's pattern, never what was in its query, path or body.
 */
@NullMarked
package dev.berth.server.audit;

import org.jspecify.annotations.NullMarked;
