/**
 * The objects behind the verbs that every adapter needs: templates of requests, the rules of posting and registration, values of a
 * completion, asynchronous events. A back end gives them what is its own: it writes a work queue element to its queue, reads an
 * entry, registers a range.
 */
@NullMarked
package io.verbena.objects;

import org.jspecify.annotations.NullMarked;
