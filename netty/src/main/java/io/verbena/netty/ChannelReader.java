package io.verbena.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads from the socket of a channel into the pipeline. Of the event loop. */
final class ChannelReader {

    private final VerbenaSocketChannel channel;
    private boolean endReported;

    ChannelReader(VerbenaSocketChannel channel) {
        this.channel = channel;
    }

    /** Whether no read has a purpose: the end was reported, or the program has ended the direction and wants no report. */
    boolean over() {
        return !channel.isOpen()
                || channel.inputEnded() && (endReported || !channel.config().isAllowHalfClosure());
    }

    /** Reads as often as the allocator of the channel says. */
    void read() {
        if (over()) {
            channel.stopReading();
            return;
        }
        ChannelPipeline pipeline = channel.pipeline();
        RecvByteBufAllocator.Handle reads = channel.unsafe().recvBufAllocHandle();
        reads.reset(channel.config());
        try {
            boolean end = readAll(pipeline, reads);
            reads.readComplete();
            pipeline.fireChannelReadComplete();
            if (end) {
                onEnd(pipeline);
            }
        } catch (IOException | RuntimeException | Error e) {
            reads.readComplete();
            pipeline.fireChannelReadComplete();
            pipeline.fireExceptionCaught(e);
            if (!(e instanceof RuntimeException)) { // both directions are lost, or there is no memory to read into
                channel.unsafe().close(channel.voidPromise());
            }
        } finally {
            if (!channel.readWanted()) {
                channel.stopReading();
            }
        }
    }

    /** Returns whether the end of the stream was reached. */
    private boolean readAll(ChannelPipeline pipeline, RecvByteBufAllocator.Handle reads) throws IOException {
        ChannelConfig config = channel.config();
        do {
            ByteBuf buffer = reads.allocate(config.getAllocator());
            reads.attemptedBytesRead(buffer.writableBytes());
            try {
                reads.lastBytesRead(readInto(buffer));
            } finally {
                if (!buffer.isReadable()) {
                    buffer.release();
                }
            }
            if (reads.lastBytesRead() <= 0) {
                return reads.lastBytesRead() < 0;
            }
            reads.incMessagesRead(1);
            channel.hasRead();
            pipeline.fireChannelRead(buffer);
        } while (reads.continueReading() && !over());
        return false;
    }

    private int readInto(ByteBuf buffer) throws IOException {
        int at = buffer.writerIndex();
        ByteBuffer target = buffer.internalNioBuffer(at, buffer.writableBytes());
        int bytes = channel.socket().read(target);
        if (bytes > 0) {
            buffer.writerIndex(at + bytes);
        }
        return bytes;
    }

    private void onEnd(ChannelPipeline pipeline) {
        channel.hasRead();
        if (!channel.config().isAllowHalfClosure()) {
            channel.unsafe().close(channel.voidPromise());
            return;
        }
        if (!channel.inputEnded()) {
            channel.onInputEnd();
            pipeline.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        }
        if (!endReported) {
            endReported = true;
            pipeline.fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        }
    }
}
