package io.verbena.tcp;

/** Memory for both directions, shared by the connections of a host. */
record ConnectionBuffers(BufferPool send, BufferPool receive) {}
