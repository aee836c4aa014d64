import { emit, setup } from 'xstate';

/**
 * The one connection that carries every watch of the agent, as the agent's client library holds it, and the pings by
 * which that library finds out that the other end is gone.
 *
 * `halfOpen` is the failure of the report: the peer vanished without a FIN or RST, the socket stays ESTABLISHED and is
 * silent. Pings that are answered change nothing, so they are not modelled one by one: when the peer vanishes, the next
 * ping may be due at once or a whole keepalive time later. `isolated` is the failure that no ping can see: the member answers pings and knows nothing new.
 */
export const linkMachine = setup({
  types: {
    events: {} as
      | { type: 'changes.stopped' }
      | { type: 'connection.opened' }
      | { type: 'connection.reset' }
      | { type: 'connection.dropped' }
      | { type: 'store.restarted' }
      | { type: 'peer.vanished' }
      | { type: 'member.isolated' }
      | { type: 'member.healed' }
      | { type: 'stream.stalled' }
      | { type: 'stream.resumed' }
      | { type: 'ping.sent' }
      | { type: 'event.carried' }
      | { type: 'call.carried' }
      | { type: 'call.carriedByIsolated' },
    emitted: {} as
      | { type: 'connection.closed' }
      | { type: 'stream.silenced' }
      | { type: 'stream.restored' }
      | { type: 'stream.broken' }
      | { type: 'connection.ended' },
  },
  guards: {
    /** A switch of the design: the client pings an idle connection. */
    sendsKeepalive: () => false,
    /** A switch of the design: the watch asks for a leader, and is cancelled by a member that has none. */
    requiresLeader: () => false,
  },
  delays: {
    keepaliveTime: 3,
    keepaliveTimeout: 1,
    leaderTimeout: 1,
  },
  actions: {
    sayClosed: emit({ type: 'connection.closed' }),
    saySilenced: emit({ type: 'stream.silenced' }),
    sayRestored: emit({ type: 'stream.restored' }),
    sayBroken: emit({ type: 'stream.broken' }),
    sayEnded: emit({ type: 'connection.ended' }),
  },
}).createMachine({
  id: 'link',
  description: 'The connection that carries the watch, and its keepalive.',
  initial: 'closed',
  states: {
    closed: {
      tags: 'rest',
      on: { 'changes.stopped': { target: 'closed' }, 'connection.opened': { target: 'open' } },
    },
    open: {
      exit: ['sayBroken', 'sayEnded'],
      initial: 'attached',
      on: {
        'connection.dropped': { target: 'closed', description: 'The client gives the connection up.' },
      },
      states: {
        attached: {
          description: 'The other end is there, for what it is worth.',
          initial: 'up',
          on: {
            'connection.reset': { target: '#link.closed', actions: 'sayClosed' },
            'store.restarted': { target: '#link.closed', actions: 'sayClosed' },
          },
          states: {
            up: {
              tags: 'rest',
              on: {
                'peer.vanished': { target: '#link.open.halfOpen', actions: 'saySilenced' },
                'member.isolated': { target: 'isolated', actions: 'saySilenced' },
                'stream.stalled': { target: 'stalled' },
                'changes.stopped': { target: 'up' },
                'event.carried': { target: 'up' },
                'call.carried': { target: 'up' },
              },
            },
            stalled: {
              description: 'Events queue up: a slow network, a busy member, a slow consumer.',
              on: {
                'stream.resumed': { target: 'up' },
                'peer.vanished': { target: '#link.open.halfOpen', actions: 'saySilenced' },
              },
            },
            isolated: {
              tags: 'blind',
              description: 'The member answers pings, has no quorum, and delivers nothing.',
              on: {
                'member.healed': { target: 'up', actions: 'sayRestored' },
              },
              initial: 'tolerated',
              states: {
                tolerated: {
                  always: { guard: 'requiresLeader', target: 'leaderless' },
                  on: { 'call.carriedByIsolated': { target: 'tolerated' } },
                },
                leaderless: {
                  description: 'The server cancels a watch that requires a leader.',
                  after: { leaderTimeout: { target: '#link.closed', actions: 'sayClosed' } },
                },
              },
            },
          },
        },
        halfOpen: {
          tags: 'blind',
          description: 'The peer is gone and nobody said so; the socket stays ESTABLISHED.',
          entry: 'sayBroken',
          initial: 'silent',
          states: {
            silent: {
              tags: 'rest',
              description: 'Nothing is sent, so nothing can come back.',
              always: { guard: 'sendsKeepalive', target: 'pingPending' },
              on: {
                'changes.stopped': {
                  target: 'silent',
                  description: 'The network is well again; the peer is still gone.',
                },
              },
            },
            pingPending: {
              description:
                'The next ping comes at the latest a keepalive time after the last one was answered.',
              on: { 'changes.stopped': { target: 'pingPending' }, 'ping.sent': { target: 'pinging' } },
              after: { keepaliveTime: { target: 'pinging' } },
            },
            pinging: {
              description: 'A ping is on the wire and nobody is there to answer it.',
              on: { 'changes.stopped': { target: 'pinging' } },
              after: { keepaliveTimeout: { target: '#link.closed', actions: 'sayClosed' } },
            },
          },
        },
      },
    },
  },
});
