package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.channel.ChannelOptions;
import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.start.JobSecret;
import io.verbena.messaging.start.Meeting;
import io.verbena.messaging.start.MeetingClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Options with times that no clock can count. */
class OptionsTest {

    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    @Test
    void foreverAsAnyTime_isALongTimeThatCanBeCounted() {
        EnlargementPolicy policy =
                EnlargementPolicy.defaults().withShrinkAfter(FOREVER).withRefusalPause(FOREVER);
        ChannelOptions channel = ChannelOptions.defaults().withTimes(FOREVER, FOREVER, FOREVER);
        List<Duration> times = List.of(
                policy.shrinkAfter(),
                policy.refusalPause(),
                channel.acknowledgementTimeout(),
                channel.patience(),
                channel.tailBound(),
                MessagingOptions.defaults().withTimeout(FOREVER).timeout());
        for (Duration each : times) {
            assertTrue(each.toNanos() > Duration.ofDays(365).toNanos());
            assertEquals(each, EnlargementPolicy.bounded(each));
        }
    }

    @Test
    void timesOfAMeeting_takeBothExtremes() throws IOException {
        for (Duration each : List.of(FOREVER, Duration.ofSeconds(Long.MIN_VALUE))) {
            JobSecret secret = JobSecret.random();
            assertTrue(Math.abs(new MeetingClient.Claim(0, 1, secret, each, true)
                            .patience()
                            .toNanos())
                    > 0);
            Meeting.start(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()), 1, secret, each)
                    .close();
        }
    }
}
