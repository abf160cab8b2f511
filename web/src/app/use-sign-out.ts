import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { signOut } from '@/entities/session/session';

export function useSignOut(): { run: () => void; pending: boolean } {
  const navigate = useNavigate();
  const { mutate, isPending } = useMutation({
    mutationFn: signOut,
    onSettled: () => navigate({ to: '/login' }),
  });
  return { run: () => mutate(), pending: isPending };
}
