/* Receiving from a connection: with the system's timestamps, decrypted, and parsed message by message. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "_exchange.h"

/* The least room to receive into; and the limit of an answer, far longer than that of any call of the workload, so that
 * a server that never stops sending is given up. */
enum { LEAST_SPACE = 2048, LONGEST_ANSWER = 64 << 20 };

/* The system's timestamp of what was received; 0 if there is none. */
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

/* The buffer for the bytes as they are received. */
static Buffer *raw_input(Exchange *self) { return self->cipher == NULL ? &self->input : &self->encrypted; }

/* Receive what is there, as far as the buffer has room: ALL_TAKEN, MORE_LEFT or ENDED. */
static Outcome receive(Exchange *self)
{
    _Alignas(struct cmsghdr) char notes[64];
    Buffer *input = raw_input(self);
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
        self->cause = errno; /* when the server just closed it, an error of an earlier send tells more */
    self->is_open = 0;
    return ENDED;
}

/* Decrypt what was received. 0, or -1 with an exception. */
static int decrypt(Exchange *self)
{
    Buffer *encrypted = &self->encrypted;
    if (self->cipher == NULL || encrypted->size == 0)
        return 0;
    PyObject *decrypted = PyObject_CallMethod(self->cipher, "decrypt", "y#", encrypted->bytes, encrypted->size);
    char *bytes;
    Py_ssize_t size;
    encrypted->size = 0;
    int done = decrypted == NULL || PyBytes_AsStringAndSize(decrypted, &bytes, &size) < 0
                   ? -1
                   : append(&self->input, bytes, size);
    if (done < 0)
        self->is_open = 0;
    Py_XDECREF(decrypted);
    return done;
}

static Outcome parse(Exchange *self)
{
    Outcome outcome = self->is_spoilt ? ENDED : self->protocol->parse(&self->input, &self->parsed, &self->found);
    if (outcome == ENDED) {
        self->is_open = 0;
        self->is_spoilt = 1; /* found may describe half a packet: it must not be parsed again */
    }
    return outcome;
}

int has_unasked(Exchange *self)
{
    const Protocol *protocol = self->protocol;
    if (self->input.size == 0 || protocol->may_be_unasked == NULL || protocol->may_be_unasked(&self->input))
        return 0;
    self->is_open = 0;
    self->is_spoilt = 1;
    return 1;
}

void raise_out_of_protocol(const Exchange *self)
{
    PyErr_Format(PyExc_ConnectionError, "the server's answer is not of %s's protocol", self->protocol->product);
}

int receive_unsolicited(Exchange *self)
{
    if (self->protocol->may_be_unasked == NULL || !self->is_open || self->is_asked || self->fileno == CLOSED)
        return 0;
    if (make_room(raw_input(self), LEAST_SPACE) == NULL)
        return -1;
    receive(self);
    return decrypt(self);
}

Outcome receive_at_once(Exchange *self)
{
    if (!try_claim(self))
        return ALL_TAKEN;
    const Buffer *input = raw_input(self);
    Outcome come = ALL_TAKEN, parsed = ALL_TAKEN;
    if (self->is_open && self->is_asked && !self->is_whole && input->space - input->size >= LEAST_SPACE) {
        come = receive(self);
        if (self->cipher == NULL)
            parsed = parse(self);
        self->is_whole = self->cipher == NULL && parsed == ALL_TAKEN;
    }
    release(self);
    return come == ALL_TAKEN && parsed == MORE_LEFT ? MORE_LEFT : ALL_TAKEN;
}

Outcome receive_answer(Exchange *self)
{
    Outcome come = MORE_LEFT;
    while (!self->is_whole && come == MORE_LEFT) {
        if (self->input.size > LONGEST_ANSWER) {
            self->is_open = 0;
            PyErr_SetString(PyExc_ConnectionError, "the server's answer is longer than 64 MiB");
            return RAISED;
        }
        if (make_room(raw_input(self), LEAST_SPACE) == NULL)
            return RAISED;
        come = self->is_open ? receive(self) : ENDED;
        if (decrypt(self) < 0)
            return RAISED;
        Outcome seen = parse(self);
        if (seen == ENDED) {
            raise_out_of_protocol(self);
            return RAISED;
        }
        self->is_whole = seen == ALL_TAKEN;
    }
    if (self->is_whole)
        return ALL_TAKEN;
    return come == ALL_TAKEN ? MORE_LEFT : ENDED;
}
