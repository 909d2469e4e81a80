package io.verbena.tcp;

/** Memory for both directions, shared by the connections of a host, and where copies into it are counted. */
record ConnectionBuffers(BufferPool send, BufferPool receive, TcpCounters counters) {}
