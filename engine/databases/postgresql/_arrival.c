/* What has come over a connection: taken with the system's stamp, and looked at message by message. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "_exchange.h"

enum { LEAST_SPACE = 2048, LONGEST_OTHER_MESSAGE = 30000 };

/* The stamp that the system has put on what was received; 0 if there is none. */
static double stamp_of(struct msghdr *received)
{
#ifdef SCM_TIMESTAMPNS
    for (struct cmsghdr *note = CMSG_FIRSTHDR(received); note != NULL; note = CMSG_NXTHDR(received, note)) {
        if (note->cmsg_level == SOL_SOCKET && note->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec stamp;
            memcpy(&stamp, CMSG_DATA(note), sizeof stamp);
            return (double)stamp.tv_sec + 1e-9 * (double)stamp.tv_nsec;
        }
    }
#else
    (void)received;
#endif
    return 0.0;
}

/* Take what has come, as far as there is room: ALL_TAKEN, MORE_LEFT or ENDED. */
static Outcome receive(Exchange *self)
{
    _Alignas(struct cmsghdr) char notes[64];
    Buffer *input = &self->input;
    struct iovec space = {.iov_base = input->bytes + input->size, .iov_len = input->space - input->size};
    struct msghdr message = {
        .msg_iov = &space, .msg_iovlen = 1, .msg_control = notes, .msg_controllen = sizeof notes};
    ssize_t size = recvmsg(self->fileno, &message, MSG_DONTWAIT);
    if (size > 0) {
        input->size += size;
        self->arrived = stamp_of(&message);
        return (size_t)size == space.iov_len ? MORE_LEFT : ALL_TAKEN;
    }
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return ALL_TAKEN;
    if (size < 0)
        self->cause = errno; /* at an end in order, what the sending was told says more */
    self->is_open = 0;
    return ENDED;
}

/* Whether it may be a message of an answer; as in libpq, only some of them may be long. */
static int is_known(char type, int32_t length)
{
    switch (type) {
    case 'D': case 'T': case 'E': case 'N': case 'A':
        return length >= 4 && length <= LONGEST_BYTES;
    case 'C': case 'I': case 'Z': case 'S': case '1': case '2': case 'n': case 's':
        return length >= 4 && length <= LONGEST_OTHER_MESSAGE;
    default:
        return 0;
    }
}

/* Look at the messages that have come as a whole, until the last of an answer: ALL_TAKEN if it is there, MORE_LEFT if
 * it is not; ENDED if what has come is not of the protocol. */
static Outcome parse(Exchange *self)
{
    while (self->input.size - self->parsed >= HEADER) {
        const char *message = self->input.bytes + self->parsed;
        int32_t length = int32_at(message + 1);
        if (!is_known(*message, length)) {
            self->is_open = 0;
            return ENDED;
        }
        if (self->input.size - self->parsed < 1 + length)
            return MORE_LEFT;
        note_message(&self->found, message, self->parsed);
        self->parsed += 1 + length;
        if (*message == 'Z')
            return ALL_TAKEN;
    }
    return MORE_LEFT;
}

void hear_at_once(Exchange *self)
{
    const Buffer *input = &self->input;
    if (!self->is_open || !self->is_asked || self->is_whole || input->space - input->size < LEAST_SPACE)
        return;
    receive(self);
    self->is_whole = parse(self) == ALL_TAKEN;
}

Outcome hear_answer(Exchange *self)
{
    Outcome come = MORE_LEFT;
    while (!self->is_whole && come == MORE_LEFT) {
        if (make_room(&self->input, LEAST_SPACE) == NULL)
            return RAISED;
        come = self->is_open ? receive(self) : ENDED;
        Outcome seen = parse(self);
        if (seen == ENDED) {
            PyErr_SetString(PyExc_ConnectionError, "the server's answer is not of PostgreSQL's protocol");
            return RAISED;
        }
        self->is_whole = seen == ALL_TAKEN;
    }
    if (self->is_whole)
        return ALL_TAKEN;
    return come == ALL_TAKEN ? MORE_LEFT : ENDED;
}
