package io.verbena.tcp.receive;

import io.verbena.tcp.segment.BufferPool;
import io.verbena.tcp.state.TcpCounters;

/** Memory for both directions, shared by the connections of a host, and where copies into it are counted. */
public record ConnectionBuffers(BufferPool send, BufferPool receive, TcpCounters counters) {}
