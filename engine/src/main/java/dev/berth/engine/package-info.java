/**
 * The one writer. A <em>command</em> (a request, or a fact from a node) is <em>decided</em> on a
 * tentative state and yields <em>changes</em>, a <em>reply</em> and <em>effects</em>. A batch of
 * commands is committed once; only then is the state published, are callers answered and effects
 * carried out.
 */
@NullMarked
package dev.berth.engine;

import org.jspecify.annotations.NullMarked;
