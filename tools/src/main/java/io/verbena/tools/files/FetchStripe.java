package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.Optional;

/**
 * Fetches: asks for a chunk's checksum, reads it by RDMA, compares, writes it to the file. A chunk that the server knows to
 * be zero, or that an earlier run left here, is not read.
 */
final class FetchStripe extends Stripe {

    private final PartFile part;
    private final FileAttributes source;

    FetchStripe(
            Link link,
            RemoteRegion remote,
            Chunks chunks,
            CopySettings settings,
            Tally tally,
            PartFile part,
            FileAttributes source) {
        super(link, remote, chunks, settings, tally);
        this.part = part;
        this.source = source;
    }

    @Override
    void begin(Slot slot) throws Failure {
        if (settings.verify()) {
            askSum(slot);
        } else if (part.had(slot.chunk())) {
            keep(slot);
        } else {
            read(slot);
        }
    }

    @Override
    void onSum(Slot slot, FileMessage.Summed sum) throws Failure {
        slot.crc32c(sum.crc32c());
        if (slot.first() && part.had(slot.chunk()) && sameHere(slot)) {
            keep(slot);
        } else if (sum.zero()) {
            part.zero(offset(slot), length(slot));
            tally.zeroBytes.add(length(slot));
            finish(slot);
        } else {
            read(slot);
        }
    }

    private boolean sameHere(Slot slot) throws Failure {
        try {
            Optional<Integer> here = part.sum(offset(slot), length(slot), sums);
            boolean same = here.isPresent() && here.get() == slot.crc32c();
            if (!same) {
                part.wrong(slot.chunk());
            }
            return same;
        } catch (IOException e) {
            throw new Failure("What an earlier run fetched cannot be read: " + IoReasons.of(e), e);
        }
    }

    private void keep(Slot slot) throws Failure {
        tally.keptBytes.add(length(slot));
        finish(slot);
    }

    private void read(Slot slot) throws Failure {
        boolean posted = link.queuePair()
                .postRead(
                        slot.index(),
                        memory,
                        bufferOffset(slot),
                        length(slot),
                        remote,
                        offset(slot),
                        WrFlags.SIGNALLED);
        if (!posted) {
            throw full();
        }
        slot.moves();
    }

    @Override
    void onArrived(Slot slot) throws Failure {
        throw new Failure("The server answered a question that it was not asked");
    }

    @Override
    void onRead(Slot slot) throws Failure {
        tally.movedBytes.add(length(slot));
        if (settings.verify() && sums.of(buffer(slot)) != slot.crc32c()) {
            again(slot);
            askSum(slot);
            return;
        }
        part.write(offset(slot), buffer(slot));
        finish(slot);
    }

    @Override
    void check(FileAttributes now) throws Failure {
        Copier.checkUnchanged(source, now);
    }

    @Override
    String what() {
        return "the file's bytes";
    }
}
